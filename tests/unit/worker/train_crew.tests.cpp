#include "core/worker/train_crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <map>
#include <thread>

#include "core/base/random.h"
#include "core/model/model.h"
#include "core/model/model_series.h"
#include "core/train/folder.h"
#include "core/train/kept_runs.h"
#include "core/train/kept_state.h"
#include "core/train/measure.h"
#include "core/train/run.h"
#include "core/worker/train_stop_times.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using CrewClock = std::chrono::steady_clock;

TrainSettings CrewSettings() {
  TrainSettings settings;
  settings.shape = {
      .layers = 2, .heads = 2, .head_dim = 8, .model_dim = 16, .vocabulary = 24, .context = 24};
  settings.periods = {4, 12};
  settings.batch = 4;
  return settings;
}

// A crew, and what it told last of each run.
struct CrewHarness {
  std::atomic<int> wakes = 0;
  TrainCrew crew{[this] { ++wakes; }};
  std::map<TrainRunId, std::shared_ptr<const TrainSight>> sights;
  std::vector<TrainWritten> written;
  bool shelf_changed = false;

  void Drain() {
    TrainNews news = crew.Drain();
    shelf_changed = shelf_changed || news.shelf_changed;
    for (const auto& sight : news.sights) {
      sights[sight->run] = sight;
    }
    written.insert(written.end(), news.written.begin(), news.written.end());
  }
  template <typename Holds>
  void WaitUntil(const Holds& holds) {
    const auto end = CrewClock::now() + std::chrono::seconds(60);
    for (Drain(); !holds() && CrewClock::now() < end; Drain()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    REQUIRE(holds());
  }
  const TrainSight& Of(TrainRunId run) { return *sights.at(run); }
  void WaitForStep(TrainRunId run, std::int64_t step) {
    WaitUntil([&] { return sights.contains(run) && Of(run).step >= step; });
  }
  void WaitForPause(TrainRunId run) {
    crew.Pause(run);
    WaitUntil([&] {  // it is measured a moment after it is paused
      return sights.contains(run) && !Of(run).is_running &&
             Of(run).scored.back().step == Of(run).step;
    });
  }
};

// What a run's files say of it: it has no last step, and was told none.
TrainSettings CrewSettingsAt(std::int64_t step) {
  TrainSettings settings = CrewSettings();
  settings.steps = step;
  return settings;
}

std::vector<float> WeightsAfter(std::int64_t steps) {
  Result<TrainRun> run = TrainRun::Make(CrewSettings());
  REQUIRE(run);
  for (std::int64_t step = 0; step < steps; ++step) {
    REQUIRE(run->Step({}));
  }
  return run->state().weights;
}

TEST_CASE("a run goes on until it is paused, and tells what there is to see", "[worker][train]") {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 60);
  harness.WaitForPause(1);
  const TrainSight& sight = harness.Of(1);
  CHECK(sight.kept.front() == 0);
  CHECK(sight.kept.at(1) == 50);
  REQUIRE(!sight.losses.empty());
  CHECK(sight.losses.back().loss < 4.0);
  REQUIRE(!sight.scored.empty());
  CHECK(sight.scored.front().step == 0);
  CHECK(sight.scored.back().step == sight.step);
  REQUIRE(sight.stop_milliseconds);
  CHECK(*sight.stop_milliseconds >= 0.0);
  REQUIRE(sight.layers.size() == 2);
  CHECK(sight.layers[1]->layer() == 1);
  CHECK(sight.layers[0]->shape().heads == 2);
  std::vector<float> row(static_cast<std::size_t>(sight.layers[0]->shape().keys));
  sight.layers[0]->Row(1, 3, row);
  CHECK(row[0] + row[1] + row[2] + row[3] == Approx(1.0F));
  CHECK(row[4] == 0.0F);
  CHECK(harness.wakes > 0);
}

TEST_CASE("what a run has told is freed by the run, not by who let go of it", "[worker][train]") {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 30);
  harness.WaitForPause(1);
  harness.crew.StepOnce(1);
  const std::int64_t step = harness.Of(1).step + 1;
  harness.WaitForStep(1, step);
  const std::weak_ptr<const TrainSight> told = harness.sights.at(1);
  harness.sights.clear();
  CHECK_FALSE(told.expired());  // the run is at rest, and holds it
  harness.crew.StepOnce(1);
  harness.WaitForStep(1, step + 1);
  harness.WaitUntil([&] { return told.expired(); });
}

TEST_CASE("a run that is stopped again and again is measured at every step that counts",
          "[worker][train]") {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 1);
  RandomStream random(3);
  constexpr int kStops = 60;
  for (int stop = 0; stop < kStops; ++stop) {
    harness.crew.GoOn(1);
    std::this_thread::sleep_for(std::chrono::microseconds(random.Below(6000)));
    harness.crew.Look(1, 0);
    harness.crew.Pause(1);
    std::this_thread::sleep_for(std::chrono::microseconds(random.Below(1000)));
    harness.Drain();
  }
  harness.WaitForPause(1);
  harness.WaitUntil([&] { return harness.Of(1).look != nullptr; });
  harness.crew.GoOn(1);
  harness.WaitForStep(1, std::max<std::int64_t>(130, harness.Of(1).step));
  harness.WaitForPause(1);
  std::vector<std::int64_t> steps;
  for (const TrainLine& line : LinesOf(harness.Of(1).scored)) {
    steps.push_back(line.step);
  }
  REQUIRE(steps.size() >= 5);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i] == 25 * static_cast<std::int64_t>(i + 1));
  }
}

TEST_CASE("how long runs take to stop is told, and settings that do not fit are refused",
          "[worker][train]") {
  const std::vector<TrainSettings> runs(2, CrewSettings());
  const auto times = TimeTrainStops(runs, 2);
  REQUIRE(times);
  CHECK(times->stopped.low >= 0.0);
  CHECK(times->stopped.median <= times->most_stopped);
  CHECK(times->most_stopped <= times->most_resting);
  TrainSettings bad = CrewSettings();
  bad.shape.layers = 0;
  const auto refused = TimeTrainStops(std::vector{CrewSettings(), bad}, 1);
  REQUIRE(!refused);
  CHECK(refused.error().message.find("--layers") != std::string::npos);
}

TEST_CASE("a paused run neither steps nor takes processor time", "[worker][train]") {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 5);
  harness.WaitForPause(1);
  const std::int64_t step = harness.Of(1).step;
  const int wakes = harness.wakes;
  const std::clock_t begun = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC < 0.02);
  CHECK(harness.crew.Drain().sights.empty());
  CHECK(harness.wakes <= wakes + 1);  // what is seen may be told of a moment later
  harness.crew.StepOnce(1);
  harness.WaitForStep(1, step + 1);
  CHECK(harness.Of(1).step == step + 1);
  CHECK(!harness.Of(1).is_running);
  harness.crew.GoOn(1);
  harness.WaitForStep(1, step + 20);
}

TEST_CASE("a run that goes back is the run that was there, and what it writes opens",
          "[worker][train]") {
  const test::TempFolder folder;
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 101);
  harness.WaitForPause(1);
  harness.crew.GoBack(1, 50);
  harness.WaitUntil([&] { return harness.Of(1).step == 50; });
  CHECK(harness.Of(1).kept == std::vector<std::int64_t>{0, 50});
  // Of a fast run there may be none as early as that.
  CHECK(std::ranges::all_of(harness.Of(1).losses, [](const auto& one) { return one.step <= 50; }));
  harness.crew.StepOnce(1);
  harness.WaitForStep(1, 51);
  harness.crew.WriteAll(1, folder / "run-h2");
  harness.crew.WriteStep(1, 50, folder / "opened");
  harness.crew.WriteStep(1, 50, folder / "opened");
  harness.WaitUntil([&] { return harness.written.size() == 3; });
  for (const TrainWritten& one : harness.written) {
    CHECK(one.fault.empty());
  }
  CHECK((!harness.written[0].is_to_open && harness.written[1].is_to_open));
  CHECK(harness.written[2].folder == folder / "opened-2");
  const TrainLayout layout = MakeTrainLayout(CrewSettings().shape);
  CHECK(ReadFirstWeights(folder / "run-h2", layout).value() == WeightsAfter(51));
  CHECK(ReadFirstWeights(folder / "opened", layout).value() == WeightsAfter(50));
  CHECK(Model::Open(folder / "opened"));
  CHECK(CheckpointSteps(folder / "run-h2") == std::vector<std::int64_t>{0, 50});
}

TEST_CASE("a saved run has its curve and the state that the command line goes on from",
          "[worker][train]") {
  const test::TempFolder folder;
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 60);
  harness.WaitForPause(1);
  const std::int64_t step = harness.Of(1).step;
  harness.crew.WriteAll(1, folder / "run-h2");
  harness.WaitUntil([&] { return harness.written.size() == 1; });
  CHECK(harness.written[0].fault.empty());
  const auto kept = ReadTrainState(folder / "run-h2");
  INFO((kept ? "" : kept.error().message));
  REQUIRE(kept);
  CHECK(kept->settings == CrewSettingsAt(step));
  CHECK(kept->state.step == step);
  CHECK(kept->state.weights == WeightsAfter(step));
  CHECK(ReadTrainState(folder / "run-h2" / "step-50")->state.step == 50);
  const auto record = ReadTrainRecord(folder / "run-h2");
  REQUIRE(record);
  CHECK(record->settings == CrewSettingsAt(step));
  REQUIRE(record->lines.size() == static_cast<std::size_t>(step / 25));
  CHECK(record->lines[0].step == 25);
  // The loss of a step's batch is that of a run that nobody watched.
  Result<TrainRun> alone = TrainRun::Make(CrewSettings());
  REQUIRE(alone);
  double loss = 0.0;
  for (int done = 0; done < 25; ++done) {
    loss = *alone->Step({});
  }
  CHECK(record->lines[0].loss == loss);
  CHECK(record->lines[0].measures.induction == harness.Of(1).scored.at(1).measures.induction);
}

// What a run that nobody stopped has after so many steps.
struct Uninterrupted {
  std::vector<float> weights;
  std::vector<TrainLine> lines;  // every 25
};
Uninterrupted RunThrough(std::int64_t steps) {
  Result<TrainRun> run = TrainRun::Make(CrewSettings());
  REQUIRE(run);
  TrainMeter meter(CrewSettings());
  Uninterrupted through;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const Result<double> loss = run->Step({});
    REQUIRE(loss);
    if (step % 25 == 0) {
      through.lines.push_back({.step = step,
                               .loss = *loss,
                               .measures = meter.Measure(run->state().weights, {}).value()});
    }
  }
  through.weights = run->state().weights;
  return through;
}

// A run of a window's, which was closed a little after `step`.
std::filesystem::path LeaveRunAt(const test::TempFolder& shelf, std::int64_t step) {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings(), {shelf.path(), "copy-h2"});
  harness.WaitForStep(1, step);
  return shelf / "copy-h2";
}

TEST_CASE("a run whose window was closed goes on in another one with the same bits",
          "[worker][train]") {
  const test::TempFolder shelf;
  const std::filesystem::path folder = LeaveRunAt(shelf, 110);
  const std::vector<KeptRun> runs = ListKeptRuns(shelf.path());
  REQUIRE(runs.size() == 1);
  CHECK((runs[0].end == RunEnd::kUnderWay && runs[0].step >= 110));
  CHECK(runs[0].settings == CrewSettingsAt(runs[0].step));
  CHECK(runs[0].steps == 0);
  CHECK(ReadTrainRecord(folder)->settings.steps == runs[0].step);
  CrewHarness harness;
  harness.crew.Resume(7, folder, true);
  harness.WaitForStep(7, runs[0].step + 60);
  harness.WaitForPause(7);
  const TrainSight& sight = harness.Of(7);
  CHECK(sight.torn.empty());
  CHECK(sight.unkept.empty());
  CHECK((sight.kept.size() >= 3 && sight.kept[0] == 0 && sight.kept[2] == 100));
  CHECK(sight.losses.front().step == 5);
  CHECK(sight.scored.back().moved[1][0] > 0.0);
  // It is on the disk a moment after it is paused.
  harness.WaitUntil([&] { return ReadTrainState(folder)->state.step == harness.Of(7).step; });
  const Uninterrupted through = RunThrough(sight.step);
  CHECK(ReadTrainState(folder)->state.weights == through.weights);
  CHECK(ReadFirstWeights(folder, MakeTrainLayout(CrewSettings().shape)).value() == through.weights);
  const TrainRecord record = ReadTrainRecord(folder).value();
  REQUIRE(record.lines.size() == through.lines.size());
  for (std::size_t i = 0; i < through.lines.size(); ++i) {
    CHECK(TrainLineText(record.lines[i]) == TrainLineText(through.lines[i]));
  }
  CHECK(CheckpointSteps(folder) == sight.kept);
}

TEST_CASE("a run that trains is on disk every hundred steps, however its program ends",
          "[worker][train]") {
  const test::TempFolder shelf;
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings(), {shelf.path(), "copy-h2"});
  bool changed = false;
  for (const std::int64_t step : {110, 230, 320}) {
    harness.WaitForStep(1, step);
    const FoundTrain found = FindTrainState(shelf / "copy-h2");
    REQUIRE(found.kept);
    CHECK(found.faults.empty());
    CHECK(found.kept->state.step > step - 100);
    changed = changed || harness.shelf_changed;
  }
  CHECK(changed);
  CHECK(Model::Open(shelf / "copy-h2"));
}

TEST_CASE("a run that is closed is kept as such, and one that has not begun is not",
          "[worker][train]") {
  const test::TempFolder shelf;
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings(), {shelf.path(), "copy-h2"});
  harness.WaitForStep(1, 30);
  harness.shelf_changed = false;
  harness.crew.End(1);
  harness.WaitUntil([&] { return harness.shelf_changed; });
  const std::vector<KeptRun> runs = ListKeptRuns(shelf.path());
  REQUIRE(runs.size() == 1);
  CHECK((runs[0].end == RunEnd::kClosed && runs[0].step >= 30));
  // Opened, it stays where it was, goes back, and is then as it was.
  harness.crew.Resume(2, runs[0].folder, false);
  harness.WaitUntil([&] { return harness.sights.contains(2); });
  CHECK(!harness.Of(2).is_running);
  CHECK(harness.Of(2).step == runs[0].step);
  harness.crew.GoBack(2, 0);
  harness.WaitUntil([&] { return harness.Of(2).step == 0; });
  harness.WaitUntil([&] { return FindTrainState(runs[0].folder).kept->state.step == 0; });
  harness.shelf_changed = false;
  harness.crew.End(2);
  harness.WaitUntil([&] { return harness.shelf_changed; });
  CHECK(ListKeptRuns(shelf.path()).empty());
}

TEST_CASE("of two windows one has a run, and the other is told", "[worker][train]") {
  const test::TempFolder shelf;
  const std::filesystem::path folder = LeaveRunAt(shelf, 20);
  CrewHarness first;
  first.crew.Resume(1, folder, false);
  first.WaitUntil([&] { return first.sights.contains(1); });
  CrewHarness second;
  second.crew.Resume(1, folder, true);
  second.WaitUntil([&] { return second.sights.contains(1); });
  CHECK(second.Of(1).fault.find("another window") != std::string::npos);
  CHECK(!second.Of(1).is_running);
  CHECK(first.Of(1).fault.empty());
}

TEST_CASE("a run whose disk cannot be written says so and trains on", "[worker][train]") {
  const test::TempFolder folder;
  folder.Write("shelf", "no folder");
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings(), {folder / "shelf", "copy-h2"});
  harness.WaitForStep(1, 30);
  CHECK(harness.Of(1).unkept.find("goes on in memory") != std::string::npos);
  CHECK(harness.Of(1).fault.empty());
  std::filesystem::remove(folder / "shelf");
  harness.WaitForStep(1, 110);
  harness.WaitForPause(1);
  harness.WaitUntil([&] { return harness.Of(1).unkept.empty(); });
  CHECK(FindTrainState(folder / "shelf" / "copy-h2").kept);
}

TEST_CASE("a torn run goes on from its last whole step, and says which", "[worker][train]") {
  const test::TempFolder shelf;
  const std::filesystem::path folder = LeaveRunAt(shelf, 110);
  const std::filesystem::path state = folder / kTrainStateFile;
  std::filesystem::resize_file(state, std::filesystem::file_size(state) - 5);
  CrewHarness harness;
  harness.crew.Resume(1, folder, false);
  harness.WaitUntil([&] { return harness.sights.contains(1); });
  CHECK(harness.Of(1).step % 50 == 0);
  CHECK(harness.Of(1).torn.find("the last whole one") != std::string::npos);
  CHECK(harness.Of(1).scored.back().step == harness.Of(1).step);
}

TEST_CASE("a kept step is looked at while the run stays where it is", "[worker][train]") {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 60);
  harness.WaitForPause(1);
  const std::int64_t step = harness.Of(1).step;
  const TrainScored last = harness.Of(1).scored.back();
  REQUIRE((last.moved.size() == 2 && last.gradients.size() == 2));
  CHECK((last.moved[1][0] > 0.0 && last.gradients[1][0] > 0.0));
  harness.crew.Look(1, 50);
  harness.crew.Look(1, 0);
  harness.WaitUntil(
      [&] { return harness.Of(1).look != nullptr && harness.Of(1).look->scored.step == 0; });
  const TrainSight& sight = harness.Of(1);
  CHECK((sight.step == step && sight.scored.back().step == step));
  CHECK(sight.look->layers.size() == 2);
  CHECK(sight.look->scored.moved[1][0] == 0.0);
  CHECK(sight.look->scored.measures.induction == sight.scored.front().measures.induction);
}

TEST_CASE("a run paused within a step tells the gradient of the last whole step",
          "[worker][train]") {
  CrewHarness harness;
  harness.crew.Begin(1, CrewSettings());
  harness.WaitForStep(1, 1);
  for (int pause = 0; pause < 40; ++pause) {
    harness.WaitForPause(1);
    const TrainScored& last = harness.Of(1).scored.back();
    CHECK(last.step == harness.Of(1).step);
    REQUIRE(last.gradients.size() == 2);
    for (const std::vector<double>& layer : last.gradients) {
      CHECK(std::ranges::all_of(layer, [](double norm) { return norm > 0.0; }));
    }
    harness.crew.GoOn(1);
    harness.WaitUntil([&] { return harness.Of(1).is_running; });
  }
}

TEST_CASE("four runs go on side by side, and one that ends leaves the others", "[worker][train]") {
  CrewHarness harness;
  for (TrainRunId run = 1; run <= 4; ++run) {
    TrainSettings settings = CrewSettings();
    settings.seed = static_cast<std::uint64_t>(run);
    harness.crew.Begin(run, settings);
  }
  for (TrainRunId run = 1; run <= 4; ++run) {
    harness.WaitForStep(run, 10);
  }
  harness.crew.End(2);
  const std::int64_t step = harness.Of(3).step;
  harness.WaitForStep(3, step + 10);
  harness.crew.GoOn(2);  // nobody is there
}

TEST_CASE("a run that diverges says why, and of one that is ended nothing more is told",
          "[worker][train]") {
  CrewHarness harness;
  TrainSettings settings = CrewSettings();
  settings.rate = 50.0;
  harness.crew.Begin(1, settings);
  harness.WaitUntil([&] { return harness.sights.contains(1) && !harness.Of(1).fault.empty(); });
  CHECK(harness.Of(1).fault.find("--rate 50") != std::string::npos);
  CHECK(!harness.Of(1).is_running);
  settings = {};
  settings.shape.layers = 8;
  settings.shape.model_dim = 256;
  settings.shape.head_dim = 64;
  harness.crew.Begin(2, settings);
  harness.WaitUntil([&] { return harness.sights.contains(2); });
  // In the middle of a step, too: nothing more is told of it.
  harness.crew.End(2);
  harness.Drain();
  harness.sights.erase(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  harness.Drain();
  CHECK_FALSE(harness.sights.contains(2));
}

}  // namespace
}  // namespace headscope
