// One token's residual stream, kept apart by who wrote it: its embedding, each head, each MLP, the
// biases. Norms are taken apart with the scale that they had, so that what they make of each writer
// adds up to what they make of all.
//
// Shapes   rows [d], double.
// Threads  the forward's.
// Cost     a layer's heads: H dv d multiplications; a norm: d a writer.
// Source   Elhage 2021, "A Mathematical Framework for Transformer Circuits"; frozen norms: as its
//          direct paths have it.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/model_part.h"
#include "core/model/block_description.h"
#include "core/model/read_weights.h"

namespace headscope {

enum class WriterKind {
  kToken,
  kTokenType,
  kPosition,
  kHead,
  kMlp,            // without its bias
  kAttentionBias,  // of an output projection; what a value bias adds counts to the heads
  kMlpBias,
  kNormBias,        // of a layer's norms; of layer -1: of the norm of the embedding
  kProjectionBias,  // of the queries or keys themselves
};

struct Writer {
  WriterKind kind = WriterKind::kToken;
  LayerId layer = {};      // of a head, an MLP, a bias
  std::int64_t head = -1;  // of a head
  friend bool operator==(const Writer&, const Writer&) = default;
};

// "token", "position", "L0H3", "MLP 0", "norm biases 0"
[[nodiscard]] std::string WriterName(const Writer& writer);

// Rows with their writers, each writer once.
class WrittenRows {
 public:
  struct Part {
    Writer writer;
    std::vector<double> row;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] std::vector<double> Sum() const;
  // What the writer wrote, who is one of them.
  [[nodiscard]] const std::vector<double>& Of(const Writer& writer) const;
  void Add(const Writer& writer, std::span<const double> row);
  void Take(WrittenRows* others);  // adds all of them, and leaves none
  template <typename Function>
  void ForEach(Function change) {
    for (Part& part : parts_) {
      change(&part.row);
    }
  }
  // Each row through columns of a projection, their biases as a writer of their own; kCancelled.
  [[nodiscard]] Result<WrittenRows> Through(const ProjectionColumns& columns,
                                            const Writer& bias,
                                            const std::stop_token& stop) const;
  // As the norm makes of `input`, whose scale it keeps; its bias is written by `bias`.
  void Norm(const NormWeights& norm, std::span<const double> input, const Writer& bias);

 private:
  std::vector<Part> parts_;
};

}  // namespace headscope
