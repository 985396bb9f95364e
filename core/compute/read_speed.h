// How fast this machine reads memory: what a product of one row with many weights cannot beat.
//
// Units    milliseconds.
// Errors   kOutOfMemory.
// Threads  OpenMP's own, as many as it gives the calling thread.
// Cost     256 MiB while it lasts; longer readings are reckoned from that.
#pragma once

#include <cstdint>

#include "core/base/error.h"

namespace headscope {

// The least of `repetitions` readings of so many bytes, by every core.
[[nodiscard]] Result<double> MeasureReading(std::int64_t bytes, int repetitions = 5);

}  // namespace headscope
