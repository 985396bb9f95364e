// Reads the parts of a linear map as one plain float32 matrix, ready to pack.
//
// Shapes   [in, out] or [out, in], as the source's layout says, parts side by side.
// Errors   kNumeric (names the tensor and the place), kCancelled, kOutOfMemory.
// Threads  one caller; rows go to OpenMP's threads.
// Cost     one pass; float32 that lies as it should is checked where it is mapped, not copied.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/float_buffer.h"

namespace headscope {

struct ReadSource {
  const float* weights = nullptr;
  std::unique_ptr<FloatBuffer> buffer;  // what `weights` points into, or null: the file
  std::vector<float> bias;              // [out]
};

// `source` has passed CheckSource, which gave `out`.
[[nodiscard]] Result<ReadSource> ReadWeights(const LinearSource& source,
                                             std::int64_t out,
                                             FloatPool* pool,
                                             const std::stop_token& stop);

}  // namespace headscope
