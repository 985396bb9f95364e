#include "core/train/step_times.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/check.h"
#include "core/train/network.h"
#include "core/train/row_loops.h"
#include "core/train/run.h"
#include "core/train/tasks.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kStepsBefore = 20;  // memory is taken, caches are warm

// Milliseconds since the last call.
class Lap {
 public:
  double operator()() {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  Clock::time_point last_ = Clock::now();
};

struct PartTimes {
  std::vector<double> batch;
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> adam;
};

// Goes on from a state as TrainRun::Step does, with the clock read in between.
Result<PartTimes> TimeParts(const TrainSettings& settings,
                            TrainState state,
                            std::int64_t steps,
                            const std::stop_token& stop) {
  TrainNetwork<float> network(settings.shape, settings.disagreement);
  std::vector<float> gradient(state.weights.size());
  const auto count = static_cast<std::int64_t>(gradient.size());
  PartTimes times;
  for (std::int64_t i = -1; i < steps; ++i) {
    Lap lap;
    const TrainBatch batch = MakeTrainBatch(settings, state.step);
    const double drawn = lap();
    HEADSCOPE_TRY(network.Forward(state.weights, batch, stop));
    const double forward = lap();
    HEADSCOPE_TRY(network.Backward(state.weights, batch, gradient, stop));
    const double backward = lap();
    const double norm = std::sqrt(SumOfSquares(gradient.data(), count));
    ++state.step;
    AdamUpdate<float>(AdamStepOf(RateAt(settings, state.step), state.step, norm),
                      gradient.data(),
                      state.first.data(),
                      state.second.data(),
                      state.weights.data(),
                      count);
    const double adam = lap();
    if (i < 0) {
      continue;  // this network takes its memory
    }
    times.batch.push_back(drawn);
    times.forward.push_back(forward);
    times.backward.push_back(backward);
    times.adam.push_back(adam);
  }
  return times;
}

}  // namespace

TimeSpread SpreadOf(std::vector<double> times) {
  HEADSCOPE_CHECK(!times.empty(), "there are times");
  std::ranges::sort(times);
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(times.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, times.size() - 1);
    return times[below] + (place - std::floor(place)) * (times[above] - times[below]);
  };
  return {.median = at(0.5), .low = at(0.25), .high = at(0.75)};
}

Result<TrainStepTimes> TimeTrainSteps(const TrainSettings& settings,
                                      std::int64_t steps,
                                      const std::stop_token& stop) {
  HEADSCOPE_TRY(auto run, TrainRun::Make(settings));
  std::vector<double> whole;
  for (std::int64_t step = -kStepsBefore; step < steps; ++step) {
    Lap lap;
    HEADSCOPE_TRY(run.Step(stop));
    const double took = lap();
    if (step >= 0) {
      whole.push_back(took);
    }
  }
  HEADSCOPE_TRY(auto parts, TimeParts(settings, run.state(), steps, stop));
  return TrainStepTimes{.step = SpreadOf(std::move(whole)),
                        .batch = SpreadOf(std::move(parts.batch)).median,
                        .forward = SpreadOf(std::move(parts.forward)).median,
                        .backward = SpreadOf(std::move(parts.backward)).median,
                        .adam = SpreadOf(std::move(parts.adam)).median};
}

}  // namespace headscope
