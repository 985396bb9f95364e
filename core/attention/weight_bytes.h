// The weights of layers in the form that files have: rows are made as they are written, so that no
// whole map is ever in memory.
//
// Shapes   [L, H, n, m]: one head after another; masked weights are 0.
// Errors   kIo (not enough room on the disk), kCancelled.
// Threads  any but the drawing one; rows go to OpenMP's threads.
// Cost     a few MB at a time; the full softmax of every row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/io/byte_source.h"

namespace headscope {

class WeightBytes : public ByteSource {
 public:
  // Takes at least one layer; all must have one shape.
  WeightBytes(std::string name,
              std::vector<std::shared_ptr<const LayerAttention>> layers,
              std::stop_token stop);

  [[nodiscard]] TensorView About() const;  // [L, H, n, m]
  void Rewind() override { next_row_ = 0; }
  [[nodiscard]] Result<std::span<const std::byte>> Next() override;

 private:
  [[nodiscard]] const AttentionShape& shape() const { return layers_[0]->shape(); }

  std::string name_;
  std::vector<std::shared_ptr<const LayerAttention>> layers_;
  std::stop_token stop_;
  std::int64_t next_row_ = 0;  // over all layers and heads
  std::vector<float> rows_;
};

// What the sinks take of each row, F32 [L, H, n]; only of layers that have them.
class SinkBytes : public ByteSource {
 public:
  SinkBytes(std::string name, std::vector<std::shared_ptr<const LayerAttention>> layers);

  [[nodiscard]] TensorView About() const;
  void Rewind() override { next_layer_ = 0; }
  [[nodiscard]] Result<std::span<const std::byte>> Next() override;

 private:
  std::string name_;
  std::vector<std::shared_ptr<const LayerAttention>> layers_;
  std::size_t next_layer_ = 0;
  std::vector<float> weights_;
};

// Checks that the disk of `path` has room for all of them. `fewer` is what to ask for if it has
// not.
[[nodiscard]] Status CheckRoom(const std::filesystem::path& path,
                               std::span<const StreamedTensor> tensors,
                               const std::string& fewer);

}  // namespace headscope
