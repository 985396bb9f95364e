// Floating-point numbers of any stored width to float32.
//
// Errors   none: types that are not floating point abort (the caller has checked the type).
// Threads  any.
// Cost     one pass; F16C and AVX-512 are used where the compiler's target has them, else integer
//          arithmetic.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/tensor_view.h"

namespace headscope {

[[nodiscard]] float HalfToFloat(std::uint16_t bits);
[[nodiscard]] float Bfloat16ToFloat(std::uint16_t bits);
// Whether ConvertToFloat reads it: F64, F32, F16, BF16 and what is quantised.
[[nodiscard]] bool IsFloatingPoint(DataType type);

// Elements [first, first + out.size()) of `tensor`, whose type is floating point. Rows that lie
// interleaved come in their logical order.
void ConvertToFloat(const TensorView& tensor, std::int64_t first, std::span<float> out);

}  // namespace headscope
