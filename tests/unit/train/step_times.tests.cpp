#include "core/train/step_times.h"

#include <stop_token>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("the spread of times is their middle half", "[train]") {
  const TimeSpread five = SpreadOf({5.0, 1.0, 4.0, 2.0, 3.0});
  CHECK(five.low == Approx(2.0));
  CHECK(five.median == Approx(3.0));
  CHECK(five.high == Approx(4.0));
  const TimeSpread four = SpreadOf({4.0, 1.0, 2.0, 3.0});
  CHECK(four.low == Approx(1.75));
  CHECK(four.median == Approx(2.5));
  CHECK(four.high == Approx(3.25));
  const TimeSpread one = SpreadOf({7.0});
  CHECK((one.low == 7.0 && one.median == 7.0 && one.high == 7.0));
}

TEST_CASE("a step's time has parts that it is made of, for both tasks", "[train]") {
  for (const TrainTask task : {TrainTask::kCopy, TrainTask::kMixture}) {
    TrainSettings settings;
    settings.task = task;
    settings.shape.model_dim = 16;
    settings.shape.head_dim = 4;
    settings.periods = UsualPeriods(task, settings.shape);
    settings.batch = 2;
    const auto times = TimeTrainSteps(settings, 5, {});
    REQUIRE(times);
    for (const double part : {times->batch, times->forward, times->backward, times->adam}) {
      CHECK(part > 0.0);
    }
    CHECK(times->step.low > 0.0);
    CHECK(times->step.low <= times->step.median);
    CHECK(times->step.median <= times->step.high);
  }
}

TEST_CASE("timing is refused for knobs that do not fit, and stops when it is told to", "[train]") {
  TrainSettings settings;
  settings.rate = 0.0;
  CHECK(TimeTrainSteps(settings, 1, {}).error().code == ErrorCode::kInput);
  std::stop_source stop;
  stop.request_stop();
  CHECK(TimeTrainSteps({}, 1, stop.get_token()).error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
