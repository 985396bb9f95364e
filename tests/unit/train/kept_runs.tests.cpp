#include "core/train/kept_runs.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/train/kept_state.h"
#include "core/train/run_keeper.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Says;
using test::TempFolder;

TrainSettings ShelvedSettings() {
  TrainSettings settings;
  settings.shape = {
      .layers = 1, .heads = 2, .head_dim = 4, .model_dim = 8, .vocabulary = 24, .context = 24};
  settings.periods = {4, 9};
  settings.batch = 2;
  settings.warm_up = 10;
  return settings;
}

TrainRun FreshRun() {
  Result<TrainRun> run = TrainRun::Make(ShelvedSettings());
  REQUIRE(run);
  return std::move(*run);
}

// A run that is kept at each step that it is told.
struct ShelvedRun {
  explicit ShelvedRun(const fs::path& shelf, const std::string& name = "copy-h2")
      : keeper(shelf, name) {}
  void StepTo(std::int64_t step) {
    while (run.state().step < step) {
      const Result<double> loss = run.Step({});
      REQUIRE(loss);
      lines.push_back({.step = run.state().step, .loss = *loss});
    }
  }
  void KeepStep() { kept.push_back(run.state()); }
  Status Keep(RunMark mark = {}, const std::stop_token& stop = {}) {
    mark.step = run.state().step;
    return keeper.Keep({.settings = run.settings(),
                        .state = run.state(),
                        .kept = kept,
                        .lines = lines,
                        .mark = mark},
                       stop);
  }
  TrainRun run = FreshRun();
  RunKeeper keeper;
  std::vector<TrainState> kept = {};
  std::vector<TrainLine> lines = {};
};

// As a program leaves it that is killed: kept at 0, 10, 20, and under way at 24.
fs::path LeaveRun(const fs::path& shelf, const RunMark& mark = {}) {
  ShelvedRun shelved(shelf);
  for (const std::int64_t step : {0, 10, 20}) {
    shelved.StepTo(step);
    shelved.KeepStep();
  }
  shelved.StepTo(24);
  REQUIRE(shelved.Keep(mark));
  return shelf / "copy-h2";
}

WholeRun ReadLeft(const fs::path& folder) {
  const auto held = HeldRun::Take(folder);
  REQUIRE(held);
  auto whole = ReadWholeRun(*held);
  INFO((whole ? "" : whole.error().message));
  REQUIRE(whole);
  return std::move(*whole);
}

TEST_CASE("a run that was left goes on as the run that never stopped", "[train][shelf]") {
  const TempFolder shelf;
  const fs::path folder = LeaveRun(shelf.path(), {.losses = {{5, 3.5}, {10, 3.25}}});
  WholeRun whole = ReadLeft(folder);
  CHECK(whole.about.settings == ShelvedSettings());
  CHECK((whole.about.step == 24 && whole.about.steps == 0));
  CHECK(whole.about.end == RunEnd::kUnderWay);
  CHECK(whole.about.fault.empty());
  REQUIRE(whole.kept.size() == 3);
  CHECK((whole.kept[0].step == 0 && whole.kept[1].step == 10 && whole.kept[2].step == 20));
  CHECK(whole.lines.size() == 24);
  REQUIRE(whole.losses.size() == 2);
  CHECK((whole.losses[1].step == 10 && whole.losses[1].loss == 3.25));
  TrainRun again = FreshRun();
  again.Restore(std::move(whole.state));
  ShelvedRun through(shelf / "other");
  through.StepTo(24);
  for (int step = 0; step < 5; ++step) {
    CHECK(*again.Step({}) == *through.run.Step({}));
  }
  CHECK(again.state() == through.run.state());
}

TEST_CASE("how a run ended is told, the newest first", "[train][shelf]") {
  const TempFolder shelf;
  LeaveRun(shelf.path());
  LeaveRun(shelf.path(), {.is_closed = true});
  LeaveRun(shelf.path(), {.fault = "the loss is no longer a number"});
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; ++i) {
    const std::string name = i == 0 ? "copy-h2" : "copy-h2-" + std::to_string(i + 1);
    fs::last_write_time(shelf / name / kTrainRecordFile, now - std::chrono::minutes(i));
  }
  const std::vector<KeptRun> runs = ListKeptRuns(shelf.path());
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].end == RunEnd::kUnderWay);
  CHECK(runs[1].end == RunEnd::kClosed);
  CHECK(runs[2].end == RunEnd::kFailed);
  CHECK(runs[2].failure == "the loss is no longer a number");
  // The command line took one of them further.
  TrainSettings settings = ShelvedSettings();
  settings.steps = 25;
  TrainRun run = FreshRun();
  run.Restore(ReadLeft(shelf / "copy-h2").state);
  REQUIRE(run.Step({}));
  REQUIRE(WriteTrainState(shelf / "copy-h2", settings, run.state()));
  KeptRun done = ListKeptRuns(shelf.path()).front();
  CHECK((done.end == RunEnd::kDone && done.step == 25 && done.steps == 25));
  settings.steps = 3000;
  REQUIRE(WriteTrainState(shelf / "copy-h2", settings, run.state()));
  done = ListKeptRuns(shelf.path()).front();
  CHECK((done.end == RunEnd::kUnderWay && done.steps == 3000));
}

TEST_CASE("a run that somebody has is neither told, taken nor removed", "[train][shelf]") {
  const TempFolder shelf;
  const fs::path folder = LeaveRun(shelf.path());
  {
    const auto held = HeldRun::Take(folder);
    REQUIRE(held);
    CHECK(ListKeptRuns(shelf.path()).empty());
    const auto other = HeldRun::Take(folder, std::chrono::milliseconds(1));
    REQUIRE(!other);
    CHECK_THAT(other.error().message, Says("another window"));
    CHECK(!DiscardKeptRun(folder));
    CHECK(fs::exists(folder / kTrainStateFile));
  }
  CHECK(ListKeptRuns(shelf.path()).size() == 1);
  CHECK(DiscardKeptRun(folder));
  CHECK(shelf.Count() == 0);
  const auto gone = HeldRun::Take(folder);
  REQUIRE(!gone);
  CHECK_THAT(gone.error().message, Says("gone"));
}

TEST_CASE("the oldest runs beyond eight are removed, but none that somebody has",
          "[train][shelf]") {
  const TempFolder shelf;
  std::vector<fs::path> folders;
  for (int i = 0; i < 10; ++i) {
    const std::string name = "run-" + std::to_string(i);
    REQUIRE(ShelvedRun(shelf.path(), name).Keep());
    folders.push_back(shelf / name);
    fs::last_write_time(folders.back() / kTrainRecordFile,
                        fs::file_time_type::clock::now() - std::chrono::hours(20 - i));
  }
  // The last ones that came have removed the first ones already.
  CHECK(ListKeptRuns(shelf.path()).size() == kMostKeptRuns);
  const auto held = HeldRun::Take(folders[2]);
  REQUIRE(held);
  REQUIRE(ShelvedRun(shelf.path(), "new").Keep());
  CHECK(fs::exists(folders[2]));
  REQUIRE(ShelvedRun(shelf.path(), "newer").Keep());
  CHECK(!fs::exists(folders[3]));
  CHECK(fs::exists(folders[9]));
}

TEST_CASE("a torn state is named, and the last whole step is taken", "[train][shelf]") {
  const TempFolder shelf;
  const fs::path folder = LeaveRun(shelf.path());
  const auto tear = [](const fs::path& path) { fs::resize_file(path, fs::file_size(path) - 3); };
  tear(folder / kTrainStateFile);
  WholeRun whole = ReadLeft(folder);
  CHECK((whole.state.step == 20 && whole.lines.size() == 20 && whole.kept.size() == 3));
  CHECK_THAT(whole.about.fault, Says(kTrainStateFile) && Says("step 20, the last whole one"));
  for (const int step : {10, 20}) {
    tear(KeptStepFolder(folder, step) / kTrainStateFile);
  }
  fs::remove_all(KeptStepFolder(folder, 0));
  whole = ReadLeft(folder);
  // At its first weights, which are drawn again.
  CHECK_THAT(whole.about.fault, Says("first weights"));
  CHECK(whole.state == FreshRun().state());
  CHECK((whole.kept.size() == 1 && whole.lines.empty()));
  fs::remove(folder / kTrainRecordFile);
  const auto held = HeldRun::Take(folder);
  const auto nothing = ReadWholeRun(*held);
  REQUIRE(!nothing);
  CHECK_THAT(nothing.error().message, Says("nothing of this run is whole"));
}

TEST_CASE("where nothing is whole a run is told and can be removed, no more", "[train][shelf]") {
  const TempFolder shelf;
  fs::create_directory(shelf / "torn");
  std::ofstream(shelf / "torn" / kTrainRecordFile) << "{";
  fs::create_directory(shelf / "empty");  // it has just been made
  const std::vector<KeptRun> runs = ListKeptRuns(shelf.path());
  REQUIRE(runs.size() == 1);
  CHECK(!runs[0].can_go_on);
  CHECK_THAT(runs[0].fault, Says("torn") && Says(kTrainRecordFile));
  CHECK(DiscardKeptRun(runs[0].folder));
  CHECK(!fs::exists(shelf / "torn"));
}

TEST_CASE("a run that goes back leaves no later step behind", "[train][shelf]") {
  const TempFolder shelf;
  const fs::path folder = LeaveRun(shelf.path());
  auto held = HeldRun::Take(folder);
  REQUIRE(held);
  WholeRun whole = ReadWholeRun(*held).value();
  RunKeeper keeper(std::move(*held), whole.kept);
  whole.kept.resize(2);
  const RunMark mark{.step = 10};
  whole.lines.resize(10);
  REQUIRE(keeper.Keep({.settings = ShelvedSettings(),
                       .state = whole.kept[1],
                       .kept = whole.kept,
                       .lines = whole.lines,
                       .mark = mark},
                      {}));
  CHECK(!fs::exists(KeptStepFolder(folder, 20)));
  CHECK(FindTrainState(folder).kept->state.step == 10);
  CHECK(ReadTrainRecord(folder)->lines.size() == 10);
}

TEST_CASE("writing that is stopped leaves what was there, and is done by the next call",
          "[train][shelf]") {
  const TempFolder shelf;
  ShelvedRun shelved(shelf.path());
  shelved.KeepStep();
  shelved.StepTo(5);
  REQUIRE(shelved.Keep());
  shelved.StepTo(8);
  shelved.KeepStep();
  std::stop_source stop;
  stop.request_stop();
  CHECK(shelved.Keep({}, stop.get_token()).error().code == ErrorCode::kCancelled);
  const fs::path folder = shelf / "copy-h2";
  CHECK(FindTrainState(folder).kept->state.step == 5);
  CHECK(FindTrainState(folder).faults.empty());
  CHECK(shelved.Keep());
  CHECK(FindTrainState(folder).kept->state == shelved.run.state());
  CHECK(fs::exists(KeptStepFolder(folder, 8)));
}

TEST_CASE("writing may be stopped between any two files, and what is there is whole",
          "[train][shelf]") {
  const TempFolder shelf;
  ShelvedRun shelved(shelf.path());
  shelved.KeepStep();
  shelved.StepTo(5);
  REQUIRE(shelved.Keep());
  shelved.StepTo(8);
  shelved.KeepStep();
  const fs::path folder = shelf / "copy-h2";
  std::int64_t stopped = 0;
  for (bool is_done = false; !is_done;) {
    std::stop_source stop;
    std::int64_t looks = 0;
    const StopWatch watch([&] {
      if (++looks > stopped) {
        stop.request_stop();
      }
    });
    is_done = shelved.Keep({}, stop.get_token()).has_value();
    stopped += is_done ? 0 : 1;
    const FoundTrain found = FindTrainState(folder);
    CHECK(found.faults.empty());
    REQUIRE(found.kept);
    CHECK((found.kept->state.step == 5 || found.kept->state.step == 8));
  }
  // Each call comes a file further; once the kept step is whole it is not written again.
  CHECK(stopped >= 8);
  CHECK(FindTrainState(folder).kept->state == shelved.run.state());
}

TEST_CASE("a disk that cannot be written is told, and written once it can be", "[train][shelf]") {
  const TempFolder folder;
  std::ofstream(folder / "shelf") << "no folder";
  ShelvedRun shelved(folder / "shelf");
  shelved.KeepStep();
  const Status status = shelved.Keep();
  REQUIRE(!status);
  CHECK_THAT(status.error().message, Says((folder / "shelf").string()));
  fs::remove(folder / "shelf");
  shelved.StepTo(3);
  CHECK(shelved.Keep());
  shelved.keeper = RunKeeper(fs::path(), "");
  CHECK(ListKeptRuns(folder / "shelf").at(0).step == 3);
}

}  // namespace
}  // namespace headscope
