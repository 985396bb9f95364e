// One multi-head attention on its own: queries from one input, keys and values from others, any
// widths.
//
//   Q_i = X W_Q(i) + b,  K_i = Y W_K(i) + b,  V_i = Z W_V(i) + b
//   A_i = softmax(scale Q_i K_i^T),  output = [A_1 V_1 | ... | A_h V_h] W_O + b
//
// It can be computed in two forms that give the same result. Stacked: one product projects all
// heads, a reshape cuts it, and one batched product follows. Looped: one head after another with
// its own narrow matrices, as in the formula, and its own rows of W_O, added up.
//
// Shapes   X [n, query_width], Y [m, key_width], Z [m, value_width]; W_Q [h dk, query_width], W_K
//          [h dk, key_width], W_V [h dv, value_width], W_O [output_width, h dv], as torch keeps
//          them: the rows of head i are i dk to (i + 1) dk. Biases [h dk], [h dk], [h dv],
//          [output_width], or none.
// Errors   kShape (a tensor or an input has the wrong shape: the message names both), kInput (a
//          size below 1), kNumeric, kBackend, kCancelled.
// Threads  the backend's.
// Cost     the same for every h: n h dk (query_width + m) + m h (dk key_width + dv value_width) + n
//          h dv (m + output_width) multiplications, and h n m exponentials. The looped form packs
//          each head's matrices separately.
// Source   Vaswani 2017, 3.2.2; equality with torch.nn.MultiheadAttention is tested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/tensor_view.h"
#include "core/compute/backend.h"

namespace headscope {

struct MultiHeadShape {
  std::int64_t heads = 1;
  std::int64_t head_dim = 0;   // dk
  std::int64_t value_dim = 0;  // dv
  std::int64_t query_width = 0;
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  std::int64_t output_width = 0;

  // Divides d evenly: dk = dv = d / heads, and all widths are d.
  [[nodiscard]] static MultiHeadShape Even(std::int64_t width, std::int64_t heads) {
    return {heads, width / heads, width / heads, width, width, width, width};
  }
};

// A matrix and its bias; both outlive whatever is made from them.
struct MultiHeadMatrix {
  TensorView weight;
  std::optional<TensorView> bias = {};
};
struct MultiHeadWeights {
  MultiHeadMatrix query;
  MultiHeadMatrix key;
  MultiHeadMatrix value;
  MultiHeadMatrix output;
};

// The result of one step of the computation, with the shape as NumPy and torch print it: "Q, K",
// [1, 512].
struct ShapeStep {
  std::string name;
  std::vector<std::int64_t> shape;
  friend bool operator==(const ShapeStep&, const ShapeStep&) = default;
};
// Lists the steps of the stacked form, from input to output, for a batch of one text of n tokens
// over m keys.
[[nodiscard]] std::vector<ShapeStep> ShapesOf(const MultiHeadShape& shape,
                                              std::int64_t queries,
                                              std::int64_t keys);

struct MultiHeadInput {
  std::span<const float> queries;  // [n, query_width]
  std::span<const float> keys;     // [m, key_width]
  std::span<const float> values;   // [m, value_width]
  bool causal = false;
  std::optional<double> scale = {};  // none: 1 / sqrt(dk)
};

enum class HeadForm { kStacked, kLooped };

// All intermediate results, in double; for a float32 backend they are its own numbers, widened.
struct MultiHeadRun {
  std::int64_t num_queries = 0;
  std::int64_t num_keys = 0;
  std::vector<double> queries;  // [n, h dk]
  std::vector<double> keys;     // [m, h dk]
  std::vector<double> values;   // [m, h dv]
  std::vector<float> weights;   // [h, n, m]
  std::vector<double> context;  // [n, h dv]: the heads side by side, before W_O
  std::vector<double> output;   // [n, output_width]
};

class MultiHeadAttention {
 public:
  // `backend` outlives this; W_Q, W_K, W_V and W_O are prepared once.
  [[nodiscard]] static Result<MultiHeadAttention> Make(Backend* backend,
                                                       const MultiHeadShape& shape,
                                                       const MultiHeadWeights& weights,
                                                       const std::stop_token& stop = {});

  [[nodiscard]] const MultiHeadShape& shape() const { return shape_; }
  [[nodiscard]] Result<MultiHeadRun> Run(const MultiHeadInput& input,
                                         HeadForm form,
                                         const std::stop_token& stop = {}) const;

 private:
  // Neighbouring heads: either all of them or one.
  struct Heads {
    std::int64_t first = 0;
    std::unique_ptr<Linear> query;
    std::unique_ptr<Linear> key;
    std::unique_ptr<Linear> value;
    std::vector<std::byte> output_bytes;  // the heads' part of W_O
    std::unique_ptr<Linear> output;
  };

  MultiHeadAttention(Backend* backend, const MultiHeadShape& shape)
      : backend_(backend), shape_(shape) {}

  Result<Heads> Prepare(const MultiHeadWeights& weights,
                        std::int64_t first,
                        std::int64_t count,
                        const std::stop_token& stop) const;
  // Returns what the heads add to the output; everything else is written to its place in `run`.
  Result<std::unique_ptr<Activations>> RunHeads(const MultiHeadInput& input,
                                                const Heads& heads,
                                                const std::stop_token& stop,
                                                MultiHeadRun* run) const;

  Backend* backend_;
  MultiHeadShape shape_;
  Heads stacked_;
  std::vector<Heads> looped_;  // [h]
};

}  // namespace headscope
