// What a description asks of a file: tensors by name and shape, and the products and norms that they fill.
//
// Threads  plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/backend.h"

namespace headscope {

// A range of a tensor's rows, or every `step`-th from the first on.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

// Every `step`-th column from the first on.
struct ColumnPick {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

// A tensor by name, and the shape it must have. All its dimensions but the last count as rows.
struct TensorNeed {
  std::string name;
  std::vector<std::int64_t> shape;
  std::optional<RowRange> rows = {};       // empty: all of them
  std::optional<ColumnPick> columns = {};  // the same
  // Other names: the first that the file has is used if it lacks `name`.
  std::vector<std::string> stand_ins = {};
  bool is_turned = false;  // the file holds the matrix the other way round: [columns, rows]
  std::optional<std::int64_t> tap = {};  // of a tensor [out, in, taps]: the matrix of this one
  // Above 1: outputs and inputs are in so many groups, and each group of outputs reads its own of the
  // inputs. The file holds [out, in / groups]; all other weights are 0.
  std::int64_t groups = 1;
};

struct LinearNeed {
  struct Matrix {
    TensorNeed weight;
    std::optional<TensorNeed> bias;
  };
  WeightLayout layout = WeightLayout::kOutIn;
  std::int64_t in = 0;
  std::vector<Matrix> matrices;
  // Above 0: the only matrix (kOutIn) holds queries, keys and values head by head. The product's
  // columns are still all queries, then all keys, then all values.
  std::int64_t fused_heads = 0;
};

struct NormNeed {
  NormKind kind = NormKind::kLayer;
  TensorNeed weight;  // without a name: all ones, not stored
  std::optional<TensorNeed> bias;
  double epsilon = 1e-5;
  double weight_offset = 0.0;  // added to the stored weights: Gemma's are around 0
  double factor = 1.0;         // of the weights
  // Not empty: each head is normed by itself, with these weights of its own; `weight` has its shape
  // and no name.
  std::vector<TensorNeed> of_heads = {};
};

// Where one half of a layer (attention or MLP) is normed: x + half(x), or with all three places
// after(x + inside(half(before(x)))).
struct NormPlaces {
  std::optional<NormNeed> before = {};
  std::optional<NormNeed> inside = {};
  std::optional<NormNeed> after = {};
};

}  // namespace headscope
