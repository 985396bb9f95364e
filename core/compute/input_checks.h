// What every backend refuses before it computes: weights, activations and attention that do not
// fit together, and weights that are not numbers.
//
// Errors   kShape, kUnsupported (a weight that is not floating point), kNumeric, kOutOfMemory; each
//          names the tensor.
// Threads  any.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/error.h"
#include "core/base/tensor_view.h"
#include "core/compute/backend.h"

namespace headscope {

// Columns of the stacked product. Refuses parts whose shape, type or bias does not fit.
[[nodiscard]] Result<std::int64_t> CheckSource(const LinearSource& source);

// `values` are elements [first, first + values.size()) of `tensor`: refuses NaN and infinity, and
// says where the first one is.
[[nodiscard]] Status CheckFinite(const TensorView& tensor,
                                 std::int64_t first,
                                 std::span<const float> values);

[[nodiscard]] bool AllFinite(std::span<const float> values);

// Refuses a size below zero or one whose product cannot be a number of bytes.
[[nodiscard]] Status CheckSize(std::int64_t rows, std::int64_t cols);

[[nodiscard]] Status CheckApply(const Linear& linear,
                                const Activations& in,
                                const Activations& out);

[[nodiscard]] Status CheckNorm(const NormWeights& norm,
                               const Activations& in,
                               const Activations& out);

// So many values are whole rows that lie within `out` from row `first` on, or the caller is wrong.
void CheckRows(std::int64_t values, std::int64_t first, const Activations& out);

// A table [vocabulary, cols] and a row of `out` for each id.
[[nodiscard]] Status CheckTable(const TensorView& table,
                                std::span<const std::int32_t> ids,
                                const Activations& out);

[[nodiscard]] Status CheckAttention(const AttentionInput& input, const Activations* context);

}  // namespace headscope
