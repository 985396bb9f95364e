#include "core/train/run.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "core/base/stop.h"
#include "core/train/measure.h"
#include "core/train/parameters.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

// Small enough for some hundred steps in a second.
TrainSettings SmallSettings() {
  TrainSettings settings;
  settings.shape = {
      .layers = 2, .heads = 4, .head_dim = 4, .model_dim = 16, .vocabulary = 12, .context = 24};
  settings.periods = {4, 9};
  settings.batch = 4;
  settings.warm_up = 10;
  return settings;
}

// Of the processor, for this thread.
double ThreadSeconds() {
  std::timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TrainRun RunOf(const TrainSettings& settings, std::int64_t steps) {
  Result<TrainRun> run = TrainRun::Make(settings);
  REQUIRE(run);
  for (std::int64_t step = 0; step < steps; ++step) {
    REQUIRE(run->Step({}));
  }
  return std::move(*run);
}

TEST_CASE("the same seed trains the same weights, bit by bit, and another seed others", "[train]") {
  TrainSettings settings = SmallSettings();
  const TrainState once = RunOf(settings, 30).state();
  CHECK(once.step == 30);
  CHECK(RunOf(settings, 30).state() == once);
  settings.seed = 2;
  CHECK(RunOf(settings, 30).state().weights != once.weights);
}

TEST_CASE("a run that goes on from a kept step is the run that never stopped", "[train]") {
  TrainRun run = RunOf(SmallSettings(), 12);
  const TrainState kept = run.state();
  for (int step = 0; step < 10; ++step) {
    REQUIRE(run.Step({}));
  }
  const TrainState through = run.state();
  run.Restore(kept);
  for (int step = 0; step < 10; ++step) {
    REQUIRE(run.Step({}));
  }
  CHECK(run.state() == through);
  TrainRun other = RunOf(SmallSettings(), 0);
  other.Restore(kept);
  for (int step = 0; step < 10; ++step) {
    REQUIRE(other.Step({}));
  }
  CHECK(other.state() == through);
}

TEST_CASE("training lowers the loss, with every option", "[train]") {
  const auto falls = [](auto change) {
    TrainSettings settings = SmallSettings();
    settings.rate = 1e-2;
    change(&settings);
    TrainRun run = RunOf(settings, 0);
    const double first = run.Step({}).value();
    double last = 0.0;
    for (int step = 0; step < 60; ++step) {
      last = run.Step({}).value();
    }
    return last < first - 0.1;
  };
  CHECK(falls([](TrainSettings*) {}));
  CHECK(falls([](TrainSettings* s) { s->shape.inner = 8; }));
  CHECK(falls([](TrainSettings* s) { s->shape.tied = true; }));
  CHECK(falls([](TrainSettings* s) { s->shape.head_dim = 7; }));
  CHECK(falls([](TrainSettings* s) { s->start.alike = true; }));
  CHECK(falls([](TrainSettings* s) { s->start.ones = true; }));
  CHECK(falls([](TrainSettings* s) { s->shape.own_segments = true; }));
}

TEST_CASE("heads that start alike stay alike to the last bit; a little noise parts them",
          "[train]") {
  for (const std::int64_t head_dim : {std::int64_t{4}, std::int64_t{3}, std::int64_t{9}}) {
    TrainSettings settings = SmallSettings();
    settings.shape.head_dim = head_dim;
    settings.start.alike = true;
    const TrainRun run = RunOf(settings, 100);
    CHECK(LargestHeadDifference(run.layout(), run.state().weights) == 0.0);
    const auto measures = TrainMeter(settings).Measure(run.state().weights, {});
    REQUIRE(measures);
    for (const std::optional<double>& one : measures->divergence) {
      CHECK(one == 0.0);
    }
    settings.start.noise = 1e-3;
    settings.rate = 1e-2;
    TrainRun noisy = RunOf(settings, 0);
    const double begun = LargestHeadDifference(noisy.layout(), noisy.state().weights);
    CHECK((begun > 1e-3 && begun < 1e-2));
    for (int step = 0; step < 300; ++step) {
      REQUIRE(noisy.Step({}));
    }
    CHECK(LargestHeadDifference(noisy.layout(), noisy.state().weights) > 4.0 * begun);
  }
}

TEST_CASE("what leads to a head from others' segments stays 0 to the last bit", "[train]") {
  for (const bool ones : {false, true}) {
    TrainSettings settings = SmallSettings();
    settings.shape.own_segments = true;
    settings.shape.heads = 3;  // segments of 6, 5 and 5 columns
    settings.start.ones = ones;
    settings.rate = 1e-2;
    const TrainRun run = RunOf(settings, 60);
    std::vector<float> held = run.state().weights;
    HoldSegments<float>(run.layout(), held);
    CHECK(held == run.state().weights);
    CHECK(std::ranges::count(held, 0.0F) >= 2 * 3 * 4 * (10 + 11 + 11));
    settings.shape.own_segments = false;
    CHECK(RunOf(settings, 60).state().weights != run.state().weights);
  }
}

TEST_CASE("one head's own segment is the whole input", "[train]") {
  TrainSettings settings = SmallSettings();
  settings.shape.heads = 1;
  settings.shape.head_dim = 16;
  const TrainState shared = RunOf(settings, 20).state();
  settings.shape.own_segments = true;
  CHECK(RunOf(settings, 20).state() == shared);
}

TEST_CASE("heads of their own segments cannot start alike, nor be more than the columns",
          "[train]") {
  TrainSettings settings = SmallSettings();
  settings.shape.own_segments = true;
  CHECK(CheckTrainSettings(settings));
  settings.start.alike = true;
  CHECK(CheckTrainSettings(settings).error().message.find("--own-segments") != std::string::npos);
  settings.start.alike = false;
  settings.shape.heads = 17;
  CHECK(CheckTrainSettings(settings).error().message.find("17 heads") != std::string::npos);
}

TEST_CASE("weights that are all one stay alike in all heads and columns", "[train]") {
  TrainSettings settings = SmallSettings();
  settings.start.ones = true;
  const TrainRun run = RunOf(settings, 50);
  CHECK(LargestHeadDifference(run.layout(), run.state().weights) == 0.0);
  const TrainBlockPlaces& at = run.layout().blocks[0];
  const auto weight = [&](std::int64_t column) {
    return run.state().weights[static_cast<std::size_t>(at.attn_weight + column)];
  };
  for (std::int64_t column = 1; column < settings.shape.width(); ++column) {
    CHECK(weight(column) == weight(0));
  }
  CHECK(weight(2 * settings.shape.width()) != 1.0F);  // values were trained
}

TEST_CASE("first weights are one draw, cut into any number of heads", "[train]") {
  TrainShape shape;
  const std::vector<float> four = DrawWeights(MakeTrainLayout(shape), {}, 3);
  shape.heads = 1;
  shape.head_dim = 64;
  CHECK(DrawWeights(MakeTrainLayout(shape), {}, 3) == four);
  CHECK(DrawWeights(MakeTrainLayout(shape), {.spread = 0.2}, 3) != four);
  double square = 0.0;
  for (std::size_t i = 0; i < 4096; ++i) {  // of the embedding
    square += static_cast<double>(four[i]) * static_cast<double>(four[i]);
  }
  CHECK(std::sqrt(square / 4096) == Approx(0.1).epsilon(0.05));
}

TEST_CASE("how far a head moved and its gradient are norms over its own numbers", "[train]") {
  TrainSettings settings = SmallSettings();
  const TrainRun run = RunOf(settings, 0);
  const TrainLayout& layout = run.layout();
  // A head has 16 inputs and a bias for 3 x 4 columns, and 4 rows of 16 outputs.
  const double own = (16 + 1) * 3 * 4 + 4 * 16;
  const std::vector<float> ones(static_cast<std::size_t>(layout.count), 1.0F);
  const std::vector<float> threes(static_cast<std::size_t>(layout.count), 3.0F);
  const HeadTable norms = HeadNorms(layout, ones);
  const HeadTable moved = HeadsMoved(layout, threes, ones);
  REQUIRE((norms.size() == 2 && moved.size() == 2));
  for (std::size_t layer = 0; layer < 2; ++layer) {
    REQUIRE((norms[layer].size() == 4 && moved[layer].size() == 4));
    for (std::size_t head = 0; head < 4; ++head) {
      CHECK(norms[layer][head] == Approx(std::sqrt(own)));
      CHECK(moved[layer][head] == Approx(2.0));
    }
  }
  // One number of the second head's values in layer 1.
  std::vector<float> changed = ones;
  const std::int64_t width = settings.shape.width();
  changed[static_cast<std::size_t>(layout.blocks[1].attn_weight + 2 * width + 4)] = 5.0F;
  const HeadTable one = HeadsMoved(layout, changed, ones);
  CHECK(one[1][1] == Approx(4.0 / std::sqrt(own)));
  CHECK((one[1][0] == 0.0 && one[1][2] == 0.0 && one[0][1] == 0.0));
}

TEST_CASE("disagreement pushes heads apart, but for those that start alike", "[train]") {
  TrainSettings settings = SmallSettings();
  settings.rate = 1e-2;
  const auto apart = [&](double weight) {
    settings.disagreement = weight;
    const TrainRun run = RunOf(settings, 150);
    const auto measures = TrainMeter(settings).Measure(run.state().weights, {});
    REQUIRE(measures);
    return std::min(*measures->divergence[0], *measures->divergence[1]);
  };
  CHECK(apart(2.0) > 2.0 * apart(0.0));
  // Heads that begin as one get one gradient: even then nothing parts them.
  settings.start.alike = true;
  const TrainRun run = RunOf(settings, 50);
  CHECK(LargestHeadDifference(run.layout(), run.state().weights) == 0.0);
}

TEST_CASE("a rate that is far too high ends the run and says so", "[train]") {
  TrainSettings settings = SmallSettings();
  settings.rate = 30.0;
  Result<TrainRun> run = TrainRun::Make(settings);
  REQUIRE(run);
  std::string message;
  for (int step = 0; step < 300 && message.empty(); ++step) {
    const TrainState before = run->state();
    const Result<double> loss = run->Step({});
    if (!loss) {
      CHECK(loss.error().code == ErrorCode::kNumeric);
      CHECK(run->state() == before);
      message = loss.error().message;
    }
  }
  CHECK(message.find("--rate 30 is too high") != std::string::npos);
}

TEST_CASE("a step that is stopped changes nothing, and can be done again", "[train]") {
  TrainRun run = RunOf(SmallSettings(), 5);
  const TrainState before = run.state();
  std::stop_source source;
  source.request_stop();
  const Result<double> stopped = run.Step(source.get_token());
  REQUIRE(!stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  CHECK(run.state() == before);
  REQUIRE(run.Step({}));
  CHECK(run.state() == RunOf(SmallSettings(), 6).state());
}

TEST_CASE("rows that are given are read in order, from the start again after the last", "[train]") {
  TrainSettings settings = SmallSettings();
  settings.batch = 2;
  settings.draws = false;
  const std::vector<std::vector<std::int32_t>> rows = {{0, 1, 2, 3}, {0, 4, 5}, {0, 6, 7, 8, 9}};
  Result<TrainRun> run = TrainRun::Make(settings, {}, rows);
  REQUIRE(run);
  for (const std::vector<std::size_t>& wanted : {std::vector<std::size_t>{0, 1},
                                                 std::vector<std::size_t>{2, 0},
                                                 std::vector<std::size_t>{1, 2}}) {
    TrainBatch batch;
    for (const std::size_t row : wanted) {
      AddTrainRow(rows[row], &batch);
    }
    TrainNetwork<float> network(settings.shape);
    const double expected = network.Forward(run->state().weights, batch, {}).value();
    CHECK(run->Step({}).value() == expected);
  }
}

TEST_CASE("a measuring that is stopped says so, and between two looks little of it is done",
          "[train]") {
  TrainSettings settings{.task = TrainTask::kMixture};
  settings.shape.heads = 16;
  settings.shape.head_dim = 4;
  settings.periods = UsualPeriods(settings.task, settings.shape);
  const TrainRun run = RunOf(settings, 0);
  TrainMeter meter(settings);
  REQUIRE(meter.Measure(run.state().weights, {}));  // memory is taken
  std::int64_t looks = 0;
  double last = ThreadSeconds();
  double longest = 0.0;
  const double begun = last;
  {
    const StopWatch watch([&] {
      const double now = ThreadSeconds();
      longest = std::max(longest, now - std::exchange(last, now));
      ++looks;
    });
    REQUIRE(meter.Measure(run.state().weights, {}));
  }
  CHECK(std::max(longest, ThreadSeconds() - last) < 0.25 * (ThreadSeconds() - begun));
  for (const std::int64_t at : {looks, looks / 2, std::int64_t{1}}) {
    std::stop_source stop;
    std::int64_t now = 0;
    const StopWatch watch([&] {
      if (++now == at) {
        stop.request_stop();
      }
    });
    const auto measured = meter.Measure(run.state().weights, stop.get_token());
    REQUIRE(!measured);
    CHECK(measured.error().code == ErrorCode::kCancelled);
    CHECK(now == at);
  }
}

TEST_CASE("a meter's scores are those of maps whose answer is known", "[train]") {
  // Without queries every map is even: each score is the mean of 1 / visible keys.
  TrainSettings settings;
  const TrainLayout layout = MakeTrainLayout(settings.shape);
  const std::vector<float> weights(static_cast<std::size_t>(layout.count), 0.0F);
  const auto measures = TrainMeter(settings).Measure(weights, {});
  REQUIRE(measures);
  double previous = 0.0;
  double copies = 0.0;
  for (int query = 1; query <= 40; ++query) {
    previous += 1.0 / (query + 1) / 40.0;
    copies += query > 20 ? 1.0 / (query + 1) / 20.0 : 0.0;
  }
  for (std::size_t layer = 0; layer < 2; ++layer) {
    CHECK(measures->divergence[layer] == 0.0);
    for (std::size_t head = 0; head < 4; ++head) {
      CHECK(measures->previous_token[layer][head] == Approx(previous).epsilon(1e-5));
      CHECK(measures->induction[layer][head] == Approx(copies).epsilon(1e-5));
      CHECK(measures->duplicate_token[layer][head] == Approx(copies).epsilon(1e-5));
    }
  }
  CHECK(!measures->accuracy);
  settings.shape.heads = 1;
  settings.shape.head_dim = 64;
  CHECK(TrainMeter(settings).Measure(weights, {})->divergence ==
        std::vector<std::optional<double>>(2));
}

}  // namespace
}  // namespace headscope
