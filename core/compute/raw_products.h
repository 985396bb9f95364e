// How fast oneDNN itself multiplies: the yardstick that `headscope bench` divides by.
//
// Shapes   batch of dense products [rows, in] x [in, out].
// Errors   kBackend, kOutOfMemory, kShape, kUnsupported (CheckPrecision).
// Threads  oneDNN's own, as many as OpenMP gives the calling thread.
// Cost     (repetitions + 1) runs of each primitive that can do it.
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
  Precision precision = Precision::kF32;  // of both factors; a batch has float32 alone
  [[nodiscard]] bool operator==(const ProductShape&) const = default;
};

struct RawProduct {
  double milliseconds = 0.0;  // the least of the repetitions
  std::string primitive;      // "inner product brgemm:avx512_core"
};

// The best of matmul, inner product and 1x1 convolution, weights packed beforehand; for a batch, of
// matmul with plain and with packed right sides (packing not counted).
[[nodiscard]] Result<RawProduct> MeasureRawProduct(const ProductShape& shape,
                                                   int repetitions = 5,
                                                   int threads = 0);

}  // namespace headscope
