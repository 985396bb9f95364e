// Measures how fast oneDNN itself multiplies: the yardstick of `headscope bench`.
//
// Shapes   batch of dense products [rows, in] x [in, out].
// Errors   kBackend, kOutOfMemory, kShape, kUnsupported (CheckPrecision).
// Threads  oneDNN's own, as many as OpenMP gives to the calling thread.
// Cost     (repetitions + 1) runs of each suitable primitive.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/compute/precision.h"

namespace headscope {

struct ProductShape {
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  Precision precision = Precision::kF32;  // of both factors; a batch has only float32
  [[nodiscard]] bool operator==(const ProductShape&) const = default;
};

struct RawProduct {
  double milliseconds = 0.0;  // the shortest repetition
  std::string primitive;      // "inner product brgemm:avx512_core"
};

// Measures the best of matmul, inner product and 1x1 convolution, with weights packed beforehand;
// for a batch, the best of matmul with plain and with packed right sides (packing not counted).
[[nodiscard]] Result<RawProduct> MeasureRawProduct(const ProductShape& shape,
                                                   int repetitions = 5,
                                                   int threads = 0);

}  // namespace headscope
