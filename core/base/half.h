// Converts floating-point numbers of any stored width to float32.
//
// Errors   none: types that are not floating point abort (the caller has checked the type).
// Cost     one pass; uses F16C and AVX-512 where the compiler's target has them, and integer
//          arithmetic elsewhere.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/tensor_view.h"

namespace headscope {

[[nodiscard]] float HalfToFloat(std::uint16_t bits);
[[nodiscard]] float Bfloat16ToFloat(std::uint16_t bits);
// Whether ConvertToFloat can read this type: F64, F32, F16, BF16 and the quantised ones.
[[nodiscard]] bool IsFloatingPoint(DataType type);

// Returns where the bytes have logical row `row` (TensorView::interleaved_rows and row_step).
[[nodiscard]] std::int64_t StoredRow(std::int64_t row, const TensorView& tensor);

// Converts elements [first, first + out.size()) of `tensor`, whose type must be floating point.
// Interleaved rows come in their logical order.
void ConvertToFloat(const TensorView& tensor, std::int64_t first, std::span<float> out);

}  // namespace headscope
