// Measures how fast this machine reads memory: no product of one row with many weights can be
// faster.
//
// Units    milliseconds.
// Errors   kOutOfMemory.
// Threads  OpenMP's, as many as it gives to the calling thread.
// Cost     256 MiB during the measurement; longer reads are extrapolated from that.
#pragma once

#include <cstdint>

#include "core/base/error.h"

namespace headscope {

// Returns the shortest of `repetitions` reads of `bytes` bytes by all cores.
[[nodiscard]] Result<double> MeasureReading(std::int64_t bytes, int repetitions = 5);

}  // namespace headscope
