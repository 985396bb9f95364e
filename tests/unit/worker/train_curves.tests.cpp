#include "core/worker/train_curves.h"

#include <cmath>
#include <filesystem>

#include "core/base/atomic_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Says;

// A run whose loss falls by 1 a hundred steps from `begin`; heads of its only layer have these scores.
NamedTrain MadeRun(std::string name,
                   std::int64_t heads,
                   std::uint64_t seed,
                   double begin,
                   std::int64_t last = 200) {
  NamedTrain run{.name = std::move(name), .record = {}};
  TrainSettings& settings = run.record.settings;
  settings.shape.layers = 1;
  settings.shape.heads = heads;
  settings.shape.head_dim = settings.shape.model_dim / heads;
  settings.seed = seed;
  for (std::int64_t step = 100; step <= last; step += 100) {
    TrainLine line{.step = step, .loss = begin - static_cast<double>(step) / 100.0};
    line.measures.induction.emplace_back();
    for (std::int64_t head = 0; head < heads; ++head) {
      line.measures.induction.back().push_back(static_cast<double>(head) / 100.0);
    }
    line.measures.previous_token = line.measures.induction;
    line.measures.divergence = {heads > 1 ? std::optional(0.25) : std::nullopt, std::nullopt};
    run.record.lines.push_back(std::move(line));
  }
  return run;
}

TEST_CASE("runs with one number of heads are a curve: mean and standard error over seeds",
          "[worker][curves]") {
  const std::vector<NamedTrain> runs = {MadeRun("d", 4, 2, 4.0),
                                        MadeRun("a", 1, 1, 3.0),
                                        MadeRun("b", 4, 1, 5.0),
                                        MadeRun("c", 4, 3, 6.0)};
  const TrainingCurves curves = CurvesOfRuns(runs);
  CHECK_THAT(curves.task, Says("copy, 1 layer"));
  CHECK(curves.notes.empty());
  REQUIRE(curves.curves.size() == 2);
  const HeadsCurve& one = curves.curves[0];
  CHECK(one.heads == 1);
  CHECK(one.seeds == std::vector<std::uint64_t>{1});
  REQUIRE(one.Of(TrainCurveOf::kLoss).size() == 2);
  CHECK_FALSE(one.Of(TrainCurveOf::kLoss)[0].value.error);
  CHECK(one.Of(TrainCurveOf::kDivergence).empty());
  const HeadsCurve& four = curves.curves[1];
  CHECK(four.seeds == std::vector<std::uint64_t>{1, 2, 3});
  const CurvePoint& loss = four.Of(TrainCurveOf::kLoss)[1];
  CHECK(loss.step == 200);
  CHECK(loss.value.mean == Approx(3.0));  // of 2, 3 and 4
  CHECK(*loss.value.error == Approx(1.0 / std::sqrt(3.0)));
  CHECK(loss.value.runs == 3);
  CHECK(four.Of(TrainCurveOf::kInduction)[0].value.mean == Approx(0.03));  // the best head
  CHECK(four.Of(TrainCurveOf::kPreviousToken)[0].value.mean == Approx(0.03));
  CHECK(four.Of(TrainCurveOf::kDivergence)[0].value.mean == 0.25);
}

TEST_CASE("where a run ends, the others go on, and a step that one of them lacks is left out",
          "[worker][curves]") {
  std::vector<NamedTrain> runs = {MadeRun("a", 2, 1, 4.0, 400), MadeRun("b", 2, 2, 5.0, 200)};
  runs[0].record.lines.insert(runs[0].record.lines.begin() + 1,
                              {.step = 137, .loss = 9.0, .measures = {}});
  const TrainingCurves curves = CurvesOfRuns(runs);
  const auto& loss = curves.curves.at(0).Of(TrainCurveOf::kLoss);
  REQUIRE(loss.size() == 4);
  CHECK(loss[1].step == 200);
  CHECK(loss[1].value.runs == 2);
  CHECK(loss[2].step == 300);
  CHECK(loss[2].value.runs == 1);
  CHECK_FALSE(loss[2].value.error);
}

TEST_CASE("runs of another task and runs that are there twice are left out, with a reason",
          "[worker][curves]") {
  std::vector<NamedTrain> runs = {MadeRun("first", 2, 1, 4.0),
                                  MadeRun("second", 4, 1, 4.0),
                                  MadeRun("again", 2, 1, 9.0),
                                  MadeRun("fast", 8, 1, 4.0)};
  runs[3].record.settings.rate = 0.01;
  const TrainingCurves curves = CurvesOfRuns(runs);
  CHECK(curves.curves.size() == 2);
  CHECK(curves.curves[0].Of(TrainCurveOf::kLoss)[0].value.mean == 3.0);
  REQUIRE(curves.notes.size() == 2);
  CHECK_THAT(curves.notes[0], Says("again") && Says("seed 1"));
  CHECK_THAT(curves.notes[1], Says("fast") && Says("--rate"));
  // Heads of another width are another set; all as wide as they are shared are one.
  std::vector<NamedTrain> widths = {MadeRun("a", 2, 1, 4.0), MadeRun("b", 4, 1, 4.0)};
  widths[1].record.settings.shape.head_dim = 64;
  CHECK(CurvesOfRuns(widths).curves.size() == 1);
  CHECK(CurvesOfRuns(std::vector<NamedTrain>()).curves.empty());
}

TEST_CASE("the runs of a folder are read by name, and a folder without any is refused",
          "[worker][curves]") {
  const test::TempFolder folder;
  for (const char* name : {"copy-h4", "copy-h2", "no-run"}) {
    std::filesystem::create_directory(folder / name);
  }
  CHECK_THAT(ReadTrainRuns(folder.path(), {}).error().message, Says("holds no training run"));
  REQUIRE(WriteTrainRecord(folder / "copy-h4", MadeRun("", 4, 1, 4.0).record));
  REQUIRE(WriteTrainRecord(folder / "copy-h2", MadeRun("", 2, 1, 4.0).record));
  test::Harness harness;
  const auto events = harness.Wait(harness.Submit(ReadRunsJob{folder.path()}));  // nothing is open
  const auto read = test::Only<RunsRead>(events);
  REQUIRE(read.size() == 1);
  REQUIRE(read[0].runs.size() == 2);
  CHECK(read[0].runs[0].name == "copy-h2");
  CHECK(read[0].runs[1].record.settings.shape.heads == 4);
  CHECK(read[0].runs[1].record.lines.size() == 2);
  const auto one = ReadTrainRuns(folder / "copy-h4", {});
  REQUIRE(one);
  CHECK(one->size() == 1);
  REQUIRE(WriteFileAtomically(folder / "copy-h2" / kTrainRecordFile, "{"));
  CHECK_THAT(ReadTrainRuns(folder.path(), {}).error().message, Says("copy-h2"));
}

TEST_CASE("models of symbols without a record are measured at their kept steps",
          "[worker][curves]") {
  const auto runs = ReadTrainRuns(test::SourceFolder() / "assets/models", {});
  REQUIRE(runs);
  const TrainingCurves curves = CurvesOfRuns(*runs);
  REQUIRE(curves.curves.size() == 5);  // copy-h1, 2, 4, 8 and 16; no other model has such tokens
  CHECK(curves.task == "copy, 2 layers, d 64");  // nobody knows the rate
  REQUIRE(curves.notes.size() == 1);
  CHECK_THAT(curves.notes[0], Says("copy-h4") && Says("64 rows") && Says("rate"));
  for (const HeadsCurve& curve : curves.curves) {
    const auto& loss = curve.Of(TrainCurveOf::kLoss);
    REQUIRE(loss.size() >= 3);
    CHECK(loss.front().step == 0);
    CHECK(loss.front().value.mean == Approx(std::log(64.0)).margin(0.5));
    CHECK(loss.back().value.mean < loss.front().value.mean - 0.5);
    CHECK(curve.Of(TrainCurveOf::kInduction).front().value.mean < 0.2);
    CHECK(curve.Of(TrainCurveOf::kInduction).back().value.mean > 0.6);
  }
}

}  // namespace
}  // namespace headscope
