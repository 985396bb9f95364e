// The product of rows with weights in the file's own type, which are used as they are converted: a
// newly typed word costs little more than reading the weights once. Weights [out, in] suit any
// number of rows, weights [in, out] only a few.
//
// Shapes   [rows, in] x [in, out] or [out, in], by layout; added to `out`.
// Errors   kOutOfMemory, kCancelled. NaN and infinity among the weights make results that are not
//          finite.
// Threads  one caller; the work goes to OpenMP's threads, in parts that depend only on the shape.
// Cost     one pass over the weights; holds a few rows of weights for each thread and up to 512 rows of
//          the input, for weights [in, out] results, in float32.
#pragma once

#include <algorithm>
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
  float* out = nullptr;  // [rows, stride], from these weights' first column on
  std::int64_t stride = 0;

  // At most `most` of the rows, from that one on.
  [[nodiscard]] FewRows From(std::int64_t row, std::int64_t most) const {
    FewRows part = *this;
    part.in += row * width;
    part.rows = std::min(most, rows - row);
    part.out += row * stride;
    return part;
  }
};

[[nodiscard]] Status AddProduct(const TensorView& weight,
                                WeightLayout layout,
                                const FewRows& few,
                                FloatPool* pool,
                                const std::stop_token& stop);

}  // namespace headscope
