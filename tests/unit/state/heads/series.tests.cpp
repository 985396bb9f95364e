// Models in a row: when they are scanned, whose results are shown, and the words of what they say.
#include "app/state/heads/across.h"
#include "app/state/heads/series_words.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/series_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kInRow{.id = "heads", .wants_scores = true};

// A model with a scan of it; the series is not looked at yet.
struct SeriesDriver : StateDriver {
  SeriesDriver() {
    ShowSomething();
    Do(SetScreen{&kInRow});
    Event(state.scan.request, HeadsScanned{StubScan()});
    Event(state.scan.request, Finished{});
  }
  void Look() {
    Do(SetHeadsView{HeadsView::kSeries});
    Find();
  }
  void Find(const ModelSeries& series = StubSeries()) {
    const RequestId id = state.series.finding.request;
    Event(id, SeriesFound{series});
    Event(id, Finished{});
  }
  void Scanned(const std::string& folder, double best) {
    Event(state.series.request, StubScanned(folder, best));
  }
  const SeriesJob& LastJob() const { return std::get<SeriesJob>(Last<Submit>()->request); }
};

using Folders = std::vector<std::filesystem::path>;

}  // namespace

TEST_CASE("a series is scanned when it is looked at, once, and its models arrive in order",
          "[state][series]") {
  SeriesDriver driver;
  CHECK(driver.CountRequests<FindSeriesJob>() == 0);
  driver.Do(SetHeadsView{HeadsView::kSeries});
  REQUIRE(driver.CountRequests<FindSeriesJob>() == 1);
  CHECK(std::get<FindSeriesJob>(driver.Last<Submit>()->request).model == "/models/alpha");
  CHECK(driver.CountRequests<SeriesJob>() == 0);
  CHECK(Busy(driver.state));
  driver.Find();
  REQUIRE(driver.CountRequests<SeriesJob>() == 1);
  CHECK(driver.LastJob().models == Folders{"/models/alpha/step-0",
                                           "/models/alpha/step-200",
                                           "/models/alpha/step-400",
                                           "/models/alpha"});
  CHECK(driver.LastJob().settings == driver.state.scan.settings);
  CHECK_FALSE(driver.LastJob().with_measures);
  driver.Do(SetHeadsView{HeadsView::kMap});
  driver.Do(SetHeadsView{HeadsView::kSeries});
  CHECK(driver.CountRequests<FindSeriesJob>() == 1);
  CHECK(driver.CountRequests<SeriesJob>() == 1);
  CHECK(WorkWords(driver.state, driver.state.series.request) == "scanning a series of models");
  driver.Scanned("/models/alpha/step-0", 0.1);
  driver.Event(driver.state.series.request,
               SeriesProgress{"/models/alpha/step-200", 1, 4, 0.5, 7.5});
  CHECK(WorkWords(driver.state, driver.state.series.request) ==
        "scanning alpha/step-200, 1 of 4 models done, 8 s left");
  CHECK(SeriesPartDone(driver.state) == 0.375);
  const auto scores = ScoresInSeries(driver.state, "induction");
  REQUIRE(scores.size() == 4);
  REQUIRE(scores[0].best() != nullptr);
  CHECK(*scores[0].best()->score == Approx(0.1));
  CHECK_THAT(SeriesWords(SeriesKind::kCheckpoints, scores),
             Says("So far 1 of 4 models are scanned."));
  CHECK(scores[1].best() == nullptr);
  CHECK(GapWords(scores[1]) == "alpha/step-200: not scanned yet.");
  driver.Event(driver.state.series.request, Finished{});
  CHECK(driver.state.series.request == 0);
}

TEST_CASE("Help measures the kept steps of a small model for its answers, and no others",
          "[state][series]") {
  constexpr ScreenKind kTells{
      .id = "help", .subject = ScreenSubject::kNothing, .tells_answers = true};
  SeriesDriver driver;
  driver.Do(ShowSeries{SeriesKind::kHeadCounts});
  driver.Do(SetScreen{&kTells});
  REQUIRE(driver.CountRequests<FindSeriesJob>() == 1);
  driver.Find();
  REQUIRE(driver.CountRequests<SeriesJob>() == 1);
  CHECK(driver.LastJob().models == Folders{"/models/alpha/step-0",
                                           "/models/alpha/step-200",
                                           "/models/alpha/step-400",
                                           "/models/alpha"});
  CHECK(driver.LastJob().with_measures);
  // Where it takes longer it is asked for in Heads.
  SeriesDriver large;
  auto model = *large.state.model;
  model.description.model_dim = 4096;
  model.description.layers = 32;
  large.state.model = std::make_shared<const ModelInfo>(std::move(model));
  large.state.shown.model = large.state.model;
  large.Do(SetScreen{&kTells});
  REQUIRE(large.CountRequests<FindSeriesJob>() == 1);
  large.Find();
  CHECK(large.CountRequests<SeriesJob>() == 0);
}

TEST_CASE("the head counts are another series, and what was scanned of either stays",
          "[state][series]") {
  SeriesDriver driver;
  driver.Look();
  driver.Scanned("/models/alpha", 0.5);
  driver.Do(ShowSeries{SeriesKind::kHeadCounts});
  REQUIRE(driver.CountRequests<SeriesJob>() == 2);
  CHECK(driver.LastJob().models == Folders{"/models/beta"});
  driver.Scanned("/models/beta", 0.4);
  driver.Event(driver.state.series.request, Finished{});
  const auto scores = ScoresInSeries(driver.state, "induction");
  REQUIRE(scores.size() == 2);
  CHECK(*scores[0].best()->score == Approx(0.4));
  driver.Do(ShowSeries{SeriesKind::kCheckpoints});
  CHECK(driver.LastJob().models.size() == 3);
}

TEST_CASE("the whole family is scanned over its steps, and told by number of heads",
          "[state][series]") {
  SeriesDriver driver;
  driver.Do(SetHeadsView{HeadsView::kSeries});
  driver.Find(StubFamily());
  driver.Do(ShowMetric{"induction"});
  CHECK(SeriesKindInView(driver.state) == SeriesKind::kCheckpoints);
  driver.Do(ShowSeries{SeriesKind::kFamily});
  CHECK(SeriesKindInView(driver.state) == SeriesKind::kFamily);
  REQUIRE(driver.LastJob().models.size() == 6);
  CHECK_FALSE(driver.LastJob().with_measures);
  CHECK(FamilyWords(driver.state, FamilyInView(driver.state)).empty());
  driver.Scanned("/models/beta-h2/step-0", 0.1);
  CHECK(FamilyWords(driver.state, FamilyInView(driver.state)) ==
        "induction, best head of each run, at step 0: h 2 0.10. So far 1 of 6 models are scanned.");
  driver.Scanned("/models/beta-h2/step-200", 0.3);
  driver.Scanned("/models/beta-h4/step-0", 0.1);
  driver.Scanned("/models/beta-h4/step-200", 0.5);
  driver.Scanned("/models/beta-h4-2/step-0", 0.1);
  driver.Scanned("/models/beta-h4-2/step-200", 0.7);
  driver.Event(driver.state.series.request, Finished{});
  const FamilyCurves curves = FamilyInView(driver.state);
  CHECK(FamilyWords(driver.state, curves) ==
        "induction, best head of each run, at step 200: h 2 0.30, h 4 0.60 ± .10.");
  REQUIRE(curves.curves.size() == 2);
  const SeriesModel* const first = ModelOfPoint(driver.state, curves.curves[1], 1);
  REQUIRE(first != nullptr);
  CHECK(first->folder == "/models/beta-h4/step-200");
  // Divergence, once all have their scores.
  CHECK(SeriesQuestion(driver.state)->with_measures);
}

TEST_CASE("a checkpoint of another number of heads keeps the family's scans", "[state][series]") {
  SeriesDriver driver;
  driver.Do(SetHeadsView{HeadsView::kSeries});
  driver.Find(StubFamily());
  driver.Do(ShowSeries{SeriesKind::kFamily});
  driver.Scanned("/models/beta-h2/step-0", 0.1);
  driver.Do(OpenFolder{.folder = "/models/beta-h2/step-0"});
  auto info = *StateDriver::Model("beta-h2/step-0", 3, 4);
  info.fingerprint = "f00dstep-00123456789";
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(info)});
  driver.Answer(6);
  driver.Find(StubFamily());
  CHECK(driver.state.series.found.size() == 1);
  CHECK(SeriesKindInView(driver.state) == SeriesKind::kFamily);
}

TEST_CASE("a series that is stopped goes on with what is missing, or tries again what failed",
          "[state][series]") {
  SeriesDriver driver;
  driver.Look();
  driver.Scanned("/models/alpha/step-0", 0.1);
  const RequestId request = driver.state.series.request;
  driver.Do(ScanSeries{false});
  REQUIRE(driver.Last<Cancel>() != nullptr);
  CHECK(driver.Last<Cancel>()->id == request);
  driver.Event(request, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK(driver.state.series.is_stopped);
  CHECK(driver.CountRequests<SeriesJob>() == 1);
  driver.Do(ScanSeries{});
  REQUIRE(driver.CountRequests<SeriesJob>() == 2);
  CHECK(driver.LastJob().models.size() == 3);
  driver.Event(driver.state.series.request,
               ModelScanned{.folder = "/models/alpha/step-200", .why_not = "it is torn"});
  driver.Scanned("/models/alpha/step-400", 0.4);
  driver.Scanned("/models/alpha", 0.5);
  driver.Event(driver.state.series.request, Finished{});
  CHECK(driver.CountRequests<SeriesJob>() == 2);
  CHECK(FaultWords(ScoresInSeries(driver.state, "induction")) ==
        "alpha/step-200 has no scan: it is torn.");
  driver.Do(ScanSeries{});
  CHECK(driver.CountRequests<SeriesJob>() == 3);
  CHECK(driver.LastJob().models == Folders{"/models/alpha/step-200"});
  driver.Event(driver.state.series.request, Failed{{ErrorCode::kBackend, "no memory"}});
  CHECK(driver.state.series.fault == "no memory");
  CHECK(driver.CountRequests<SeriesJob>() == 3);  // nobody asked again
}

TEST_CASE("other texts and measures are asked for anew", "[state][series]") {
  SeriesDriver driver;
  driver.Look();
  driver.Scanned("/models/alpha", 0.5);
  driver.Do(ShowMetric{"variability"});
  REQUIRE(driver.LastJob().with_measures);
  CHECK(driver.LastJob().models.size() == 3);  // the stub's scan is measured
  ModelScanned bare = StubScanned("/models/alpha/step-0", 0.1);
  HeadScanReport report = *bare.report;
  report.is_measured = false;
  bare.report = std::make_shared<const HeadScanReport>(report);
  driver.Event(driver.state.series.request, bare);
  CHECK(ScoresInSeries(driver.state, "variability")[0].scanned == nullptr);
  CHECK(ScoresInSeries(driver.state, "induction")[0].scanned != nullptr);
  driver.Do(ShowMetric{"induction"});
  CHECK_FALSE(driver.LastJob().with_measures);
  CHECK(driver.LastJob().models.size() == 2);
  HeadScanSettings settings = driver.state.scan.settings;
  settings.sentences = 0;
  settings.twins = 3;
  driver.Do(ScanHeads{settings});
  CHECK(driver.state.series.found.empty());
  CHECK(driver.LastJob().settings.sentences == 0);
  CHECK(driver.LastJob().settings.twins == 0);
  CHECK(driver.LastJob().models.size() == 4);
}

TEST_CASE("a model of the series keeps it, with its head selected; another one ends it",
          "[state][series]") {
  SeriesDriver driver;
  driver.Look();
  driver.Scanned("/models/alpha/step-0", 0.1);
  driver.Scanned("/models/alpha", 0.5);

  SECTION("a dot of another checkpoint opens it") {
    driver.Do(OpenSeriesHead{"/models/alpha/step-0", {1, 2}});
    REQUIRE(std::holds_alternative<OpenModelRequest>(driver.Last<Submit>()->request));
    auto info = *StateDriver::Model("alpha/step-0", 3, 4);
    info.fingerprint = "f00dstep-00123456789";
    driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(info)});
    driver.Answer(6);
    CHECK(driver.state.selection.head == HeadIndex{1, 2});
    CHECK(driver.state.selection.head_locked);
    CHECK(driver.state.series.found.size() == 2);
    const int jobs = driver.CountRequests<SeriesJob>();
    CHECK(driver.CountRequests<FindSeriesJob>() == 2);
    driver.Find();
    CHECK(driver.state.series.found.size() == 2);
    CHECK(driver.CountRequests<SeriesJob>() == jobs);  // the same one goes on
  }
  SECTION("a folder that holds other weights by now is scanned again") {
    driver.Do(OpenSeriesHead{"/models/alpha/step-0", {1, 2}});
    driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha/step-0", 3, 4)});
    driver.Answer(6);
    driver.Find();
    CHECK(driver.state.series.found.empty());
    CHECK(driver.LastJob().models.size() == 4);
  }
  SECTION("a model that does not open leaves the selection") {
    driver.Do(OpenSeriesHead{"/models/alpha/step-0", {1, 2}});
    driver.Event(driver.state.opening.request, Failed{{ErrorCode::kIo, "gone"}});
    CHECK_FALSE(driver.state.arriving_head);
  }
  SECTION("another model has nothing of it, and its scan ends") {
    driver.Do(SetHeadsView{HeadsView::kMap});
    driver.Open("gamma", 3, 4);
    CHECK(driver.LastJob().models.empty());
    CHECK(driver.state.series.found.empty());
    CHECK(driver.state.series.request == 0);
    driver.Answer(6);
    driver.Do(SetHeadsView{HeadsView::kSeries});
    driver.Find(ModelSeries{});
    CHECK(driver.CountRequests<SeriesJob>() == 2);
    CHECK_THAT(WhyNoSeries(driver.state), Says("gamma stands alone"));
  }
}

TEST_CASE("a series is told by its first and last model, and where it changes most",
          "[state][series]") {
  const ModelSeries series = StubSeries();
  std::vector<ModelScanned> scans;
  for (const auto& [model, best] :
       {std::pair(0, 0.02), std::pair(1, 0.11), std::pair(2, 0.71), std::pair(3, 0.95)}) {
    scans.push_back(StubScanned(series.checkpoints[static_cast<std::size_t>(model)].folder, best));
  }
  std::vector<SeriesScore> scores;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    scores.push_back({&series.checkpoints[i], &scans[i], ScoredIn(*scans[i].report, "induction")});
  }
  CHECK(SeriesWords(SeriesKind::kCheckpoints, scores) ==
        "induction, best head of each: 0.02 at step 0, 0.95 at the end of training. It rises most "
        "between step 200 (0.11) and step 400 (0.71).");
  // One that is missing: its neighbours stand beside each other.
  scores[1].metric.reset();
  CHECK_THAT(SeriesWords(SeriesKind::kCheckpoints, scores),
             Says("between step 0 (0.02) and step 400 (0.71)."));
  CHECK(GapWords(scores[1]) == "alpha/step-200: no head of it has this score.");
  CHECK(SeriesWords(SeriesKind::kCheckpoints, std::span(scores).first(2)) ==
        "induction, best head of each: 0.02 at step 0.");
  CHECK(SeriesWords(SeriesKind::kCheckpoints, {}).empty());

  const auto of_two = [&](double first, double second) {
    const ModelScanned one = StubScanned("/models/beta", first);
    const ModelScanned two = StubScanned("/models/alpha", second);
    const std::vector<SeriesScore> both = {
        {&series.head_counts[0], &one, ScoredIn(*one.report, "entropy")},
        {&series.head_counts[1], &two, ScoredIn(*two.report, "entropy")}};
    return SeriesWords(SeriesKind::kHeadCounts, both);
  };
  CHECK(of_two(0.9, 0.3) ==
        "entropy, highest head of each: 0.90 with 2 heads, 0.30 with 4 heads. It falls most "
        "between 2 "
        "heads (0.90) and 4 heads (0.30).");
  CHECK_THAT(of_two(0.30, 0.32), Says("Between no two neighbours does it change clearly."));
  CHECK(PlaceLabel(SeriesKind::kCheckpoints, series.checkpoints.back()) == "trained");
  CHECK(PlaceLabel(SeriesKind::kHeadCounts, series.head_counts.back()) == "4");
}

}  // namespace headscope::test
