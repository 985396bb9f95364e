// Models of a series side by side, and what stands beside the slider over steps.
#include "app/state/heads/across.h"

#include "app/state/heads/series_words.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/series_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

ModelScanned ScannedWith(const char* folder, double loss) {
  ModelScanned one = StubScanned(folder, 0.5);
  one.numbers.loss = MeanOfRuns{.mean = loss, .error = 0.125, .runs = 40};
  one.numbers.is_of_repeats = true;
  return one;
}

}  // namespace

TEST_CASE("across head counts, models are those of the family, whatever series was chosen",
          "[state][series]") {
  StateDriver driver;
  SeriesState& series = driver.state.series;
  series.there = StubSeries();
  series.found = {ScannedWith("/models/alpha", 1.5)};
  CHECK(SeriesKindInView(driver.state) == SeriesKind::kCheckpoints);
  CHECK(AcrossModelsInView(driver.state).size() == 4);
  driver.state.heads_look.view = HeadsView::kAcross;
  CHECK(SeriesKindInView(driver.state) == SeriesKind::kHeadCounts);
  const auto models = AcrossModelsInView(driver.state);
  REQUIRE(models.size() == 2);
  CHECK(models[0].label == "2");
  CHECK(models[0].report == nullptr);
  CHECK(models[1].label == "4");
  REQUIRE(models[1].report != nullptr);
  CHECK(models[1].numbers->loss->mean == 1.5);
}

TEST_CASE("beside the slider stand a step's loss and divergence with their errors",
          "[state][series]") {
  StateDriver driver;
  SeriesState& series = driver.state.series;
  series.there = StubSeries();
  ModelScanned scanned = ScannedWith("/models/alpha/step-200", 2.5);
  HeadScanReport report = *scanned.report;
  report.sentences->report.scores.push_back(StubScores("layer_divergence"));
  scanned.report = std::make_shared<const HeadScanReport>(std::move(report));
  series.found = {scanned, ScannedWith("/models/alpha/step-400", 1.0)};
  const auto& steps = series.there.checkpoints;
  CHECK(StepNumbers(driver.state, steps[0]).empty());
  CHECK(StepNumbers(driver.state, steps[1]) ==
        "Loss 2.500 ± 0.125 nats on 40 repeats, divergence 0.275 ± 0.010 nats.");
  CHECK(StepNumbers(driver.state, steps[2]) == "Loss 1.000 ± 0.125 nats on 40 repeats.");
}

TEST_CASE("divergence is measured across head counts, and of steps once all have their scores",
          "[state][series]") {
  StateDriver driver;
  driver.ShowSomething(6);
  SeriesState& series = driver.state.series;
  series.of = driver.state.model;
  series.there = StubSeries();
  driver.state.heads_look.metric = "induction";
  auto question = SeriesQuestion(driver.state);
  REQUIRE(question);
  CHECK_FALSE(question->with_measures);
  for (const SeriesModel& step : series.there.checkpoints) {
    series.found.push_back(StubScanned(step.folder, 0.5));
  }
  question = SeriesQuestion(driver.state);
  CHECK(question->with_measures);
  series.kind = SeriesKind::kHeadCounts;
  CHECK_FALSE(SeriesQuestion(driver.state)->with_measures);
  driver.state.heads_look.view = HeadsView::kAcross;
  CHECK(SeriesQuestion(driver.state)->with_measures);
}

TEST_CASE("a model without others that differ in heads says so, and what to open",
          "[state][series]") {
  StateDriver driver;
  driver.ShowSomething(6);
  SeriesState& series = driver.state.series;
  series.of = driver.state.model;
  series.there.checkpoints = StubSeries().checkpoints;
  CHECK(WhyNoSeries(driver.state).empty());
  driver.state.heads_look.view = HeadsView::kAcross;
  CHECK_THAT(WhyNoSeries(driver.state), Says("number of heads alone") && Says("copy-h8"));
}

}  // namespace headscope::test
