// Reads the parts of a linear map as plain float32, either whole and ready to pack, or a panel at a
// time.
//
// Shapes   [in, out] or [out, in], as the source's layout says, parts side by side.
// Errors   kNumeric (names the tensor and the place), kCancelled, kOutOfMemory.
// Threads  one caller; rows go to OpenMP's threads.
// Cost     one pass; float32 in the right order is checked where it is mapped, not copied.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/float_buffer.h"

namespace headscope {

struct ReadSource {
  const float* weights = nullptr;
  std::unique_ptr<FloatBuffer> buffer;  // what `weights` points into; null: the file
  std::vector<float> bias;              // [out]
};

// `source` must have passed CheckSource, which returned `out`.
[[nodiscard]] Result<ReadSource> ReadWeights(const LinearSource& source,
                                             std::int64_t out,
                                             FloatPool* pool,
                                             const std::stop_token& stop);

[[nodiscard]] Status ReadBias(const LinearSource& source,
                              std::int64_t out,
                              std::vector<float>* bias);

// Converts elements of a matrix from `first` on, unchecked and of any type, on the calling thread.
void ConvertWeights(const TensorView& weight, std::int64_t first, std::span<float> to);

// Reads columns [first, last) of one matrix's product: [in, last - first] for a matrix stored [in,
// out], [last - first, in] for one stored [out, in].
[[nodiscard]] Status ReadPanel(const TensorView& weight,
                               WeightLayout layout,
                               std::int64_t first,
                               std::int64_t last,
                               float* panel,
                               const std::stop_token& stop);

}  // namespace headscope
