// What every backend checks before it computes: weights, activations and attention must fit
// together, and weights must be finite.
//
// Errors   kShape, kUnsupported (a weight that is not floating point), kNumeric, kOutOfMemory; each
//          names the tensor.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/error.h"
#include "core/base/tensor_view.h"
#include "core/compute/backend.h"

namespace headscope {

// Returns the columns of the stacked product. Rejects parts whose shape, type or bias does not fit.
[[nodiscard]] Result<std::int64_t> CheckSource(const LinearSource& source);

// `values` are elements [first, first + values.size()) of `tensor`: rejects NaN and infinity, and
// says where the first one is.
[[nodiscard]] Status CheckFinite(const TensorView& tensor,
                                 std::int64_t first,
                                 std::span<const float> values);

[[nodiscard]] bool AllFinite(std::span<const float> values);

// Rejects negative sizes, and sizes whose bytes cannot be counted.
[[nodiscard]] Status CheckSize(std::int64_t rows, std::int64_t cols);

[[nodiscard]] Status CheckApply(const Linear& linear,
                                const Activations& in,
                                const Activations& out);

[[nodiscard]] Status CheckNorm(const NormWeights& norm,
                               const Activations& in,
                               const Activations& out);

// Aborts unless `values` numbers are whole rows that fit into `out` from row `first` on.
void CheckRows(std::int64_t values, std::int64_t first, const Activations& out);

// Checks for a table [vocabulary, cols] and a row of `out` per id.
[[nodiscard]] Status CheckTable(const TensorView& table,
                                std::span<const std::int32_t> ids,
                                const Activations& out);

[[nodiscard]] Status CheckAttention(const AttentionInput& input, const Activations* context);

}  // namespace headscope
