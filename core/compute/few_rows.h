// The product of few rows with weights in the file's own type, used as they are converted: a word
// that was typed costs little more than one reading of the weights.
//
// Shapes   [rows, in] x [in, out] or [out, in], as the layout says; added to what `out` holds.
// Errors   kOutOfMemory, kCancelled. NaN and infinities among the weights make results that are
//          not finite.
// Threads  one caller; the work goes to OpenMP's threads, in parts that follow from the shape
//          alone.
// Cost     one pass over the weights; a few rows of them and of results in float32.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/float_buffer.h"

namespace headscope {

struct FewRows {
  const float* in = nullptr;  // [rows, width]
  std::int64_t rows = 0;
  std::int64_t width = 0;
  float* out = nullptr;  // [rows, stride], from the first of these weights' columns on
  std::int64_t stride = 0;
};

[[nodiscard]] Status AddProduct(const TensorView& weight,
                                WeightLayout layout,
                                const FewRows& few,
                                FloatPool* pool,
                                const std::stop_token& stop);

}  // namespace headscope
