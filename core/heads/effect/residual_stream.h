// One token's residual stream, split by writer: its embedding, each head, each MLP, the biases.
// Norms are applied to each writer with the scale that they had for the whole, so that the results
// for the writers add up to the result for the whole.
//
// Shapes   rows [d], double.
// Threads  the forward's.
// Cost     a layer's heads: H dv d multiplications; a norm: d per writer.
// Source   Elhage 2021, "A Mathematical Framework for Transformer Circuits"; frozen norms: as in
//          its direct paths.
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
  kAttentionBias,  // of an output projection; effects of value biases count to the heads
  kMlpBias,
  kNormBias,        // of a layer's norms; for layer -1: of the embedding's norm
  kProjectionBias,  // of the queries or keys themselves
};

struct Writer {
  WriterKind kind = WriterKind::kToken;
  LayerId layer = {};      // for a head, an MLP, a bias
  std::int64_t head = -1;  // for a head
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
  // Returns what the writer wrote; it must be one of them.
  [[nodiscard]] const std::vector<double>& Of(const Writer& writer) const;
  void Add(const Writer& writer, std::span<const double> row);
  void Take(WrittenRows* others);  // adds all of them and empties `others`
  template <typename Function>
  void ForEach(Function change) {
    for (Part& part : parts_) {
      change(&part.row);
    }
  }
  // Multiplies each row by columns of a projection, whose bias becomes a writer of its own;
  // kCancelled.
  [[nodiscard]] Result<WrittenRows> Through(const ProjectionColumns& columns,
                                            const Writer& bias,
                                            const std::stop_token& stop) const;
  // Applies the norm with the scale that it has for `input`; `bias` becomes the writer of its bias.
  void Norm(const NormWeights& norm, std::span<const double> input, const Writer& bias);

 private:
  std::vector<Part> parts_;
};

}  // namespace headscope
