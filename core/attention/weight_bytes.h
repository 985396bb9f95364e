// The weights of layers as a file holds them: rows are made as they are written, so that no map is
// ever whole in memory.
//
// Shapes   [L, H, n, m]: one head after another, masked weights 0.
// Errors   kIo (the disk has no room for them), kCancelled.
// Threads  any that may compute; rows go to OpenMP's threads.
// Cost     some MB at a time; the full softmax of every row.
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
  // At least one layer; all of one shape.
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
  std::int64_t next_row_ = 0;  // of all layers and heads
  std::vector<float> rows_;
};

// Whether the disk of `path` has room for all of them. `fewer`: what to ask for where it has not.
[[nodiscard]] Status CheckRoom(const std::filesystem::path& path,
                               std::span<const StreamedTensor> tensors,
                               const std::string& fewer);

}  // namespace headscope
