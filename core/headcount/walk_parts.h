// The parts of the walk: where a layer's matrices are, small sums over them, and the names of the
// steps in both ways.
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

// The products of a layer's attention, and the columns at which its queries, keys and values begin.
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
// Returns zeros, summarised in steps if there are more than `most` cells.
[[nodiscard]] WalkMatrix EmptyMatrix(std::int64_t rows,
                                     std::int64_t cols,
                                     std::int64_t most = kMostWalkCells);
// Copies the columns of a product to the columns from `first` on of a matrix [inputs, columns].
void PutColumns(const ProjectionColumns& columns, std::int64_t first, WalkMatrix* matrix);
void Measure(WalkMatrix* matrix);  // recomputes `largest`

[[nodiscard]] std::vector<float> Transposed(const ProjectionColumns& columns);  // [in, columns]
// Returns inputs [first, first + count) of all columns.
[[nodiscard]] ProjectionColumns InputsOf(const ProjectionColumns& columns,
                                         std::int64_t first,
                                         std::int64_t count);
// Returns columns [first, first + width) of rows [row, row + rows) of a matrix that is `stride`
// wide.
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
[[nodiscard]] float Cosine(std::span<const float> a,
                           std::span<const float> b);  // 0 if one is all zero
// Infinite if any of them is not a number.
[[nodiscard]] double LargestDifference(std::span<const float> a, std::span<const float> b);

// Returns the part of the relative bias that belongs to one head.
[[nodiscard]] std::shared_ptr<const RelativeBias> BiasOfHead(const AttentionRule& rule,
                                                             std::int64_t head);
[[nodiscard]] std::shared_ptr<const std::vector<float>> SinkOfHead(const AttentionRule& rule,
                                                                   std::int64_t head);

// Returns the lines "read", "project", "split", "attend", "blend", "concatenate", "mix", without
// differences.
[[nodiscard]] std::vector<WalkLine> LinesOf(const LayerWalk& walk);

}  // namespace headscope
