#include "core/train/kept_state.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

TrainSettings KeptSettings() {
  TrainSettings settings;
  settings.shape = {
      .layers = 2, .heads = 2, .head_dim = 4, .model_dim = 8, .vocabulary = 24, .context = 24};
  settings.periods = {4, 9};
  settings.batch = 2;
  settings.warm_up = 10;
  return settings;
}

TrainRun StartedRun(std::int64_t steps) {
  Result<TrainRun> run = TrainRun::Make(KeptSettings());
  REQUIRE(run);
  for (std::int64_t step = 0; step < steps; ++step) {
    REQUIRE(run->Step({}));
  }
  return std::move(*run);
}

void WriteBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_CASE("a state from the disk goes on as the run that never stopped", "[train][kept]") {
  const test::TempFolder folder;
  TrainRun run = StartedRun(30);
  REQUIRE(WriteTrainState(folder.path(), run.settings(), run.state()));
  const auto kept = ReadTrainState(folder.path());
  INFO((kept ? "" : kept.error().message));
  REQUIRE(kept);
  CHECK(kept->settings == run.settings());
  CHECK(kept->state == run.state());
  TrainRun other = StartedRun(0);
  other.Restore(kept->state);
  for (int step = 0; step < 5; ++step) {
    CHECK(*run.Step({}) == *other.Step({}));
  }
  CHECK(other.state() == run.state());
}

TEST_CASE("a loss that diverges is told at the same step after going on", "[train][kept]") {
  TrainSettings settings = KeptSettings();
  settings.rate = 3.0;
  settings.warm_up = 1;
  const auto steps_until_it_ends = [&](std::int64_t restored_at) {
    Result<TrainRun> run = TrainRun::Make(settings);
    REQUIRE(run);
    for (std::int64_t step = 0; step < 400; ++step) {
      if (step == restored_at) {
        const test::TempFolder folder;
        REQUIRE(WriteTrainState(folder.path(), settings, run->state()));
        run = TrainRun::Make(settings);
        run->Restore(ReadTrainState(folder.path())->state);
      }
      if (!run->Step({})) {
        return step;
      }
    }
    return std::int64_t{-1};
  };
  const std::int64_t ends = steps_until_it_ends(-1);
  REQUIRE(ends > 2);
  CHECK(steps_until_it_ends(ends - 1) == ends);
}

TEST_CASE("a state that is torn, altered or missing is refused in a sentence", "[train][kept]") {
  const test::TempFolder folder;
  CHECK_THAT(ReadTrainState(folder.path()).error().message, test::Says(kTrainStateFile));
  const TrainRun run = StartedRun(3);
  REQUIRE(WriteTrainState(folder.path(), run.settings(), run.state()));
  const std::filesystem::path file = folder / kTrainStateFile;
  const std::string whole = test::ReadText(file);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    WriteBytes(file, whole.substr(0, length));
    const auto torn = ReadTrainState(folder.path());
    REQUIRE_FALSE(torn);
    CHECK_THAT(torn.error().message, test::Says(kTrainStateFile));
  }
  // As long as it should be, with zeros where the disk never wrote.
  std::string zeros = whole;
  zeros.replace(zeros.size() - 200, 100, 100, '\0');
  WriteBytes(file, zeros);
  CHECK_THAT(ReadTrainState(folder.path()).error().message,
             test::Says("not those that were written"));
  WriteBytes(file, whole);
  CHECK(ReadTrainState(folder.path()));
}

TEST_CASE("the newest whole state is found, and newer ones that are torn are named",
          "[train][kept]") {
  const test::TempFolder folder;
  CHECK_FALSE(FindTrainState(folder.path()).kept);
  const TrainRun first = StartedRun(0);
  const TrainRun later = StartedRun(4);
  const TrainRun last = StartedRun(6);
  REQUIRE(WriteKeptStep(folder.path(), first.settings(), first.state()));
  REQUIRE(WriteKeptStep(folder.path(), later.settings(), later.state()));
  REQUIRE(WriteTrainState(folder.path(), last.settings(), last.state()));
  auto found = FindTrainState(folder.path());
  REQUIRE(found.kept);
  CHECK(found.kept->state == last.state());
  CHECK(found.faults.empty());
  // The folder's own state is torn: the last kept step is next.
  WriteBytes(folder / kTrainStateFile, "torn");
  found = FindTrainState(folder.path());
  REQUIRE(found.kept);
  CHECK(found.kept->state == later.state());
  REQUIRE(found.faults.size() == 1);
  CHECK_THAT(found.faults[0], test::Says(kTrainStateFile));
  // And that one, too.
  std::filesystem::remove(folder / "step-4" / kTrainStateFile);
  found = FindTrainState(folder.path());
  REQUIRE(found.kept);
  CHECK(found.kept->state == first.state());
  CHECK(found.faults.size() == 2);
  // A kept step may be newer than the folder's own state.
  REQUIRE(WriteTrainState(folder.path(), first.settings(), first.state()));
  REQUIRE(WriteKeptStep(folder.path(), later.settings(), later.state()));
  CHECK(FindTrainState(folder.path()).kept->state == later.state());
}

}  // namespace
}  // namespace headscope
