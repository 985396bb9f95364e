// What the walk is put together from: where a layer's matrices are, small sums over them, and what
// both ways are called.
//
// Threads  plain functions.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/base/tensor_view.h"
#include "core/headcount/walk.h"
#include "core/model/read_weights.h"

namespace headscope {

// The products of a layer's attention, and where in them its queries, keys and values begin.
struct WalkNeeds {
  struct Columns {
    const LinearNeed* need = nullptr;
    std::int64_t first = 0;
  };
  Columns query;
  Columns key;
  Columns value;
  const LinearNeed* output = nullptr;

  [[nodiscard]] static WalkNeeds Of(const LayerDescription& layer,
                                    const StackDescription& stack,
                                    ModelPart part);
};

[[nodiscard]] bool HoldsBias(const LinearNeed& need);

// --- matrices
inline constexpr std::int64_t kWholeMatrix = std::numeric_limits<std::int64_t>::max();
[[nodiscard]] WalkMatrix WholeMatrix(std::int64_t rows,
                                     std::int64_t cols,
                                     std::span<const float> values);
// Zeros; in steps where there are more than `most` cells.
[[nodiscard]] WalkMatrix EmptyMatrix(std::int64_t rows,
                                     std::int64_t cols,
                                     std::int64_t most = kMostWalkCells);
// Columns of a product to columns from `first` on of a matrix [inputs, columns].
void PutColumns(const ProjectionColumns& columns, std::int64_t first, WalkMatrix* matrix);
void Measure(WalkMatrix* matrix);  // `largest`, anew

[[nodiscard]] std::vector<float> Transposed(const ProjectionColumns& columns);  // [in, columns]
// Inputs [first, first + count) of all columns.
[[nodiscard]] ProjectionColumns InputsOf(const ProjectionColumns& columns,
                                         std::int64_t first,
                                         std::int64_t count);
// Columns [first, first + width) of rows [row, row + rows) of a matrix that is `stride` wide.
[[nodiscard]] std::vector<float> HeadColumns(std::span<const float> values,
                                             std::int64_t stride,
                                             std::int64_t first,
                                             std::int64_t width,
                                             std::int64_t row,
                                             std::int64_t rows);
[[nodiscard]] TensorView ViewOf(std::vector<std::int64_t> shape, const std::vector<float>& values);

// --- sums, in double
[[nodiscard]] std::vector<float> RowLengths(const WalkMatrix& matrix);
[[nodiscard]] std::vector<float> ColumnSizes(std::span<const float> values, std::int64_t cols);
[[nodiscard]] float Length(std::span<const float> values);
[[nodiscard]] float Cosine(std::span<const float> a, std::span<const float> b);  // 0 where one is 0
// Infinite where one is not a number.
[[nodiscard]] double LargestDifference(std::span<const float> a, std::span<const float> b);

// What one head alone adds to its scores by distance.
[[nodiscard]] std::shared_ptr<const RelativeBias> BiasOfHead(const AttentionRule& rule,
                                                             std::int64_t head);

// "read", "project", "split", "attend", "blend", "concatenate", "mix", without differences.
[[nodiscard]] std::vector<WalkLine> LinesOf(const LayerWalk& walk);

}  // namespace headscope
