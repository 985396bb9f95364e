// Counts what a multi-head attention costs, from its shapes alone: d_k and d_v need not be d / h,
// and W_O is square only if h d_v is as wide as the output.
//
// Shapes   W_Q [query_width, h dk], W_K [key_width, hk dk], W_V [value_width, hk dv], W_O [h dv,
//          output_width], where hk is the number of key and value heads; one bias number per column
//          of each matrix that has a bias; norms of queries and keys: vectors of dk.
// Units    numbers and multiplications; bytes of float32.
// Errors   none. The sizes are 1 or more.
// Source   docs/reference.md, "split".
#pragma once

#include <cstdint>

#include "core/base/model_part.h"
#include "core/model/block_description.h"

namespace headscope {

struct AttentionWidths {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 1;   // dk
  std::int64_t value_dim = 1;  // dv
  std::int64_t query_width = 1;
  std::int64_t key_width = 1;
  std::int64_t value_width = 1;
  std::int64_t output_width = 1;
  bool query_bias = false;
  bool key_bias = false;
  bool value_bias = false;
  bool output_bias = false;
  // The norms of each head's queries, or keys, as a number of vectors of head_dim. 0: no norm.
  std::int64_t query_norm = 0;
  std::int64_t key_norm = 0;

  [[nodiscard]] bool is_square() const { return heads * value_dim == output_width; }
  friend bool operator==(const AttentionWidths&, const AttentionWidths&) = default;
};

// The learnt numbers of an attention, grouped by how many rows multiply them.
struct LearntNumbers {
  std::int64_t weights = 0;      // elements of W_Q and W_O: n rows
  std::int64_t key_weights = 0;  // elements of W_K and W_V: m rows
  std::int64_t biases = 0;
  std::int64_t norms = 0;  // norms of queries and keys

  [[nodiscard]] std::int64_t All() const { return weights + key_weights + biases + norms; }
  // The four projections; the products of queries with keys and of weights with values are extra.
  [[nodiscard]] std::int64_t Multiplies(std::int64_t queries, std::int64_t keys) const {
    return queries * weights + keys * key_weights;
  }
};
[[nodiscard]] LearntNumbers LearntOf(const AttentionWidths& widths);

struct WidthCosts {
  std::int64_t parameters = 0;
  // n h dk (query_width + m) + m hk (dk key_width + dv value_width) + n h dv (m + output_width)
  std::int64_t multiplies = 0;
  std::int64_t softmax_cells = 0;  // h n m
  std::int64_t map_bytes = 0;      // all whole maps
  std::int64_t vector_bytes = 0;   // queries, keys, values, and the heads side by side
};
[[nodiscard]] WidthCosts CostsOf(const AttentionWidths& widths,
                                 std::int64_t queries,
                                 std::int64_t keys);

// Inputs that the columns of a product from `first` on read: fewer than it has, where they are in groups.
[[nodiscard]] std::int64_t InputsAt(const LinearNeed& need, std::int64_t first);

// Returns the widths of a layer of the model, as its tensors are.
[[nodiscard]] AttentionWidths WidthsOf(const ModelDescription& model, LayerId id);

}  // namespace headscope
