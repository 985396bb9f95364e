// How long a step of a training takes on this thread, and what its parts take.
//
// Units    milliseconds of wall time.
// Errors   those of TrainRun; kCancelled.
// Threads  any but the drawing one; it starts none.
// Cost     twice as many steps as are asked for, and some before the clock runs.
// Source   docs/reference.md, "bench".
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/train/settings.h"

namespace headscope {

// The middle of some times, and where the middle half of them begins and ends.
struct TimeSpread {
  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
};
// Of one time at least.
[[nodiscard]] TimeSpread SpreadOf(std::vector<double> times);

struct TrainStepTimes {
  TimeSpread step;  // drawing the batch, forward, backward, the update
  // Medians of the parts, from as many further steps.
  double batch = 0.0;
  double forward = 0.0;
  double backward = 0.0;
  double adam = 0.0;  // with the norm of the gradient
};

// `steps` of them, one at least, after some that are not timed.
[[nodiscard]] Result<TrainStepTimes> TimeTrainSteps(const TrainSettings& settings,
                                                    std::int64_t steps,
                                                    const std::stop_token& stop);

}  // namespace headscope
