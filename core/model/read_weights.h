// Weights as numbers, wherever and however the file keeps them: for what looks at the weights of
// single heads.
//
// Shapes   columns in the order of LinearNeed: queries, then keys, then values of a joined one.
// Errors   none: an open model holds what its description needs.
// Threads  any.
// Cost     reads the columns asked for; of a matrix stored [in, out], a piece of every row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compute/backend.h"
#include "core/model/model.h"

namespace headscope {

struct ProjectionColumns {
  std::int64_t in = 0;
  std::vector<float> weight;  // [columns, in]
  std::vector<float> bias;    // [columns], 0 where there is none

  [[nodiscard]] std::int64_t columns() const { return static_cast<std::int64_t>(bias.size()); }
  [[nodiscard]] std::span<const float> Column(std::int64_t column) const {
    return std::span(weight).subspan(static_cast<std::size_t>(column * in),
                                     static_cast<std::size_t>(in));
  }
};

// Columns of the whole product: its out.
[[nodiscard]] std::int64_t ColumnCount(const LinearNeed& need);

// Columns [first, first + count).
[[nodiscard]] ProjectionColumns ReadColumns(const Model& model,
                                            const LinearNeed& need,
                                            std::int64_t first,
                                            std::int64_t count);

// The biases of all columns, 0 where there are none.
[[nodiscard]] std::vector<float> ReadBiases(const Model& model, const LinearNeed& need);

// As the forward applies it.
[[nodiscard]] NormWeights ReadNorm(const Model& model, const NormNeed& need);

}  // namespace headscope
