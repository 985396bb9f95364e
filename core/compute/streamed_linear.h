// A product whose weights stay in the file, in the file's own type: they are converted as they are
// used, a few outputs or a panel of columns at a time, so that a large model in 16 or fewer bits
// needs no second copy in float32.
//
// Shapes   [rows, in] x [in, out] + [out] -> [rows, out], row-major float32.
// Errors   kNumeric (names the tensor and the place), kCancelled, kOutOfMemory.
// Threads  one caller; the conversion's rows go to OpenMP's threads.
// Cost     one conversion of all weights per call, while they are in the cache: weights [out, in] a
//          few outputs at a time by each thread, weights [in, out] 4 MiB at a time and for few rows
//          (a newly typed word) a row at a time, as fast as they are read.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/float_buffer.h"

namespace headscope {

class StreamedLinear {
 public:
  // Whether a product should be streamed: if its weights take less memory than float32 would, and
  // there are many of them. This depends only on shape and type, so that every process computes the
  // same bits.
  [[nodiscard]] static bool Wants(const LinearSource& source, std::int64_t out);

  // `source` must have passed CheckSource, which returned `out`.
  [[nodiscard]] static Result<StreamedLinear> Make(LinearSource source, std::int64_t out);

  [[nodiscard]] Status Apply(const float* in,
                             std::int64_t rows,
                             float* out,
                             FloatPool* pool,
                             const std::stop_token& stop) const;

 private:
  StreamedLinear() = default;
  void FillBias(std::int64_t rows, float* out) const;
  [[nodiscard]] Status ApplyAsConverted(const float* in,
                                        std::int64_t rows,
                                        float* out,
                                        FloatPool* pool,
                                        const std::stop_token& stop) const;
  [[nodiscard]] Status ApplyByPanels(const float* in,
                                     std::int64_t rows,
                                     float* out,
                                     FloatPool* pool,
                                     const std::stop_token& stop) const;
  LinearSource source_;
  std::int64_t out_ = 0;
  std::vector<float> bias_;  // [out]
};

}  // namespace headscope
