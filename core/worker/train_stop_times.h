// How long training runs side by side take to stop when the window asks them to.
//
// Units    milliseconds of wall time, from the request.
// Errors   kInput: settings that do not fit, in a sentence.
// Threads  any but the drawing one; each run has a thread of its own.
// Cost     some tenths of a second a stop. Nothing is written to disk.
// Source   docs/reference.md, "bench".
#pragma once

#include <cstdint>
#include <span>

#include "core/base/error.h"
#include "core/train/settings.h"
#include "core/train/step_times.h"

namespace headscope {

struct TrainStopTimes {
  TimeSpread stopped;  // until a run computes no step any more
  double most_stopped = 0.0;
  TimeSpread resting;  // until all of them are measured where they stand, and sleep
  double most_resting = 0.0;
};

// The runs are stopped so many times, once at least, at moments that are drawn, and go on in between.
[[nodiscard]] Result<TrainStopTimes> TimeTrainStops(std::span<const TrainSettings> runs,
                                                    std::int64_t stops);

}  // namespace headscope
