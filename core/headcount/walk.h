// One layer's attention step by step, with every matrix as it is: what it reads, what one head
// makes of it, what all heads do together, and the two ways to compute the same result: stacked
// (all heads in one product) and head by head.
//
//   Q_i = X W_Q(i) + b,  K_i, V_i similarly;  A_i = softmax(scores_i);  head_i = A_i V_i
//   output = [head_1 | ... | head_h] W_O + b_O = sum of head_i W_O(i) + b_O
//
// Shapes   n queries, m keys; X [n, d]; W_Q [d, H dk], W_K [d, Hkv dk], W_V [d, Hkv dv]; one head's
//          W(i) [d, dk]; W_O [H dv, d]. Queries are kept for `rows` rows from `first_row` on, as
//          chosen by WalkRowsOf; keys and values are kept for every key.
// Units    score: scaled, capped, biased, -infinity where masked; use: the norm of an input's row
//          of W(i); differences: the largest over all numbers, in the units of those numbers.
// Errors   kInput (no such head), kUnsupported (weights from a file), kBackend, kNumeric,
//          kCancelled.
// Threads  the backend's; the result is immutable.
// Cost     the layer's projections once more, one head after another, and the attention of the kept
//          rows twice. Memory: W_O and the widest matrix of a head as float32 while it runs; the
//          result keeps at most kMostWalkCells numbers of a weight matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/model/forward.h"

namespace headscope {

inline constexpr std::int64_t kMostWalkCells = std::int64_t{1} << 21;
inline constexpr std::int64_t kMostWalkRows = 512;

// A matrix or its summary: if it is too large, each block of `step` rows and columns is represented
// by its number farthest from 0.
struct WalkMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t step = 1;
  std::vector<float> values = {};  // [kept_rows(), kept_cols()]
  float largest = 0.0F;            // the largest absolute value of its finite numbers

  [[nodiscard]] bool empty() const { return values.empty(); }
  [[nodiscard]] std::int64_t kept_rows() const { return (rows + step - 1) / step; }
  [[nodiscard]] std::int64_t kept_cols() const { return (cols + step - 1) / step; }
  // Returns the value of the block that contains the cell.
  [[nodiscard]] float At(std::int64_t row, std::int64_t col) const {
    return values[static_cast<std::size_t>(row / step * kept_cols() + col / step)];
  }
};

// The projection to queries, keys or values.
struct WalkProjection {
  std::int64_t width = 0;     // of one head: dk, or dv for values
  std::int64_t heads = 0;     // in the stacked matrix: H, or Hkv for keys and values
  std::int64_t own_head = 0;  // which of them is this head's
  WalkMatrix weight;          // stacked [inputs, heads width]
  WalkMatrix own;             // W(i) [inputs, width], whole
  std::vector<float> bias;    // [width]; empty: none
  std::vector<float> use;     // [inputs]
  WalkMatrix made;            // X W(i) + b [n, width]; empty: the input is not available
  WalkMatrix normed;          // empty: the model has no such norm
  WalkMatrix used;            // as the scores or the blend use it: the forward's own numbers
  std::int64_t turned = 0;    // columns that are rotated by position

  [[nodiscard]] std::int64_t inputs() const { return own.rows; }
};

// One step, as each of the two ways does it.
struct WalkLine {
  std::string name;
  std::string stacked;
  std::string by_head;
  std::optional<double> difference = {};  // none: nothing was computed twice
};

struct LayerWalk {
  LayerId layer;
  std::int64_t head = 0;
  AttentionShape shape;
  AttentionRule rule;
  std::int64_t model_dim = 0;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;

  WalkMatrix input;                // X [rows, d]
  std::vector<float> input_sizes;  // [d]: root mean square of each input over all tokens
  bool is_normed = false;          // there is a norm before the projections
  bool has_own_keys = false;       // keys come from another text or from other embeddings
  WalkProjection query;
  WalkProjection key;
  WalkProjection value;
  WalkMatrix scores;         // [rows, m]
  WalkMatrix weights;        // [rows, m]: the model's own map
  WalkMatrix blended;        // A_i V_i [rows, dv]
  WalkMatrix concatenated;   // [rows, H dv]
  WalkMatrix output_weight;  // [H dv, d]
  WalkMatrix output_own;     // W_O(i) [dv, d], whole
  WalkMatrix output;         // [rows, d]: what the layer's attention adds, the model's own
  WalkMatrix added;          // head_i W_O(i) [rows, d]
  float output_bias = 0.0F;  // norm of b_O; 0: none

  // For each head i, head_i W_O(i): its norm, and the cosine of its angle to the output and to what
  // this head adds.
  std::vector<float> lengths;       // [H, rows]
  std::vector<float> along_output;  // [H, rows]
  std::vector<float> along_own;     // [H, rows]

  std::vector<WalkLine> lines;          // from reading the input to adding the output
  double difference = 0.0;              // the largest of all
  std::int64_t stacked_parameters = 0;  // matrices, biases and norms as they are stored
  std::int64_t by_head_parameters = 0;  // those of every head, counted one by one
  std::vector<std::string> notes;       // what the layer lacks, in sentences

  [[nodiscard]] bool HasRow(std::int64_t query_row) const {
    return query_row >= first_row && query_row < first_row + rows;
  }
  [[nodiscard]] std::size_t PlaceOf(std::int64_t of_head, std::int64_t query_row) const {
    return static_cast<std::size_t>(of_head * rows + query_row - first_row);
  }
};

// Chooses the rows to keep, `row` among them: all rows of a text of up to kMostWalkRows tokens
// whose scores fit, otherwise as many as fit, in steps so that neighbouring rows share them.
struct WalkRows {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
[[nodiscard]] WalkRows WalkRowsOf(std::int64_t queries, std::int64_t keys, std::int64_t row);

struct WalkQuestion {
  std::int64_t head = 0;
  std::int64_t first_row = 0;  // from WalkRowsOf
};

// `layer` was captured with its states, by `forward`, from `input`.
[[nodiscard]] Result<LayerWalk> WalkLayer(Forward* forward,
                                          const ForwardInput& input,
                                          const LayerAttention& layer,
                                          const WalkQuestion& question,
                                          const std::stop_token& stop);

}  // namespace headscope
