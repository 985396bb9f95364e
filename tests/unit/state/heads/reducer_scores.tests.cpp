#include <cmath>

#include "app/state/heads/scores.h"
#include "app/state/work_under_way.h"
#include "core/attention/relative_position.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

Failed Cancelled() {
  return {{ErrorCode::kCancelled, "stopped"}};
}

TEST_CASE("a score says how far it gets from its control towards 1", "[state][scores]") {
  HeadScanReport report = *StubScan();
  HeadScore score;
  score.score = 0.6;
  score.control = 0.2;
  score.rows = 7;
  const auto metrics = ScoredMetrics(report);
  const ScoredMetric& induction = *FindScored(metrics, "induction");
  CHECK(ScoreWords(induction, score) == "induction 0.60, control 0.20, kappa 0.50; 7 rows");
  score.score = 0.199;
  CHECK(ScoreWords(induction, score) == "induction 0.20, control 0.20, kappa 0.00; 7 rows");
  CHECK(ScoreWords(*FindScored(metrics, "entropy"), score) ==
        "entropy 0.20, control 0.20; 7 rows");  // no share
}

}  // namespace

TEST_CASE("scores are asked for where the screen wants them, once", "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  CHECK(driver.CountRequests<HeadScanJob>() == 0);
  driver.Do(SetScreen{&kScoresScreen});
  CHECK(driver.CountRequests<HeadScanJob>() == 1);
  CHECK(driver.CountRequests<TextScoresJob>() == 1);
  CHECK(Busy(driver.state));
  driver.Event(driver.state.scan.request, HeadsScanned{StubScan()});
  driver.Event(driver.state.scan.request, Finished{});
  driver.Event(driver.state.text_scores.request, TextScored{std::make_shared<ScoreReport>()});
  driver.Event(driver.state.text_scores.request, Finished{});
  driver.Event(driver.state.examples.request, ExamplesFound{});
  driver.Event(driver.state.examples.request, Finished{});
  driver.Event(driver.state.partners.request,
               PartnersFound{std::make_shared<const CompositionPartners>()});
  driver.Event(driver.state.partners.request, Finished{});
  driver.Event(driver.state.alike.request, AlikeFound{{{{1, 1}, 0.25}}});
  driver.Event(driver.state.alike.request, Finished{});
  CHECK_FALSE(Busy(driver.state));
  REQUIRE(AlikeInView(driver.state) != nullptr);
  CHECK(AlikeInView(driver.state)->answer.front().head == HeadIndex{1, 1});
  CHECK(ScanInView(driver.state) != nullptr);
  CHECK(TextScoresInView(driver.state) != nullptr);
  driver.Do(SetScreen{&kNoScreen});
  driver.Do(SetScreen{&kScoresScreen});
  CHECK(driver.CountRequests<HeadScanJob>() == 1);
  CHECK(driver.CountRequests<TextScoresJob>() == 1);

  SECTION("heads are placed where Heads shows them so, once for a picture") {
    CHECK(driver.CountRequests<PlaceHeadsJob>() == 0);
    driver.Do(SetHeadsView{HeadsView::kAlike});
    CHECK(driver.CountRequests<PlaceHeadsJob>() == 1);
    CHECK(HeadPlacesInView(driver.state) == nullptr);
    driver.Event(driver.state.head_places.request,
                 HeadsPlaced{std::make_shared<const HeadPlaces>()});
    driver.Event(driver.state.head_places.request, Finished{});
    REQUIRE(HeadPlacesInView(driver.state) != nullptr);
    driver.Do(ClickHead{{1, 1}});
    driver.Do(SetHeadsView{HeadsView::kMap});
    driver.Do(SetHeadsView{HeadsView::kAlike});
    CHECK(driver.CountRequests<PlaceHeadsJob>() == 1);
    driver.Do(EditText{"d e f"});
    driver.Answer(5);
    CHECK(HeadPlacesInView(driver.state) == nullptr);
    CHECK(driver.CountRequests<PlaceHeadsJob>() == 2);
  }
  SECTION("another text asks for its own, the scan stays") {
    driver.Do(EditText{"d e f"});
    driver.Answer(5);
    CHECK(TextScoresInView(driver.state) == nullptr);
    CHECK(ScanInView(driver.state) != nullptr);
    CHECK(driver.CountRequests<HeadScanJob>() == 1);
    CHECK(driver.CountRequests<TextScoresJob>() == 2);
  }
  SECTION("another model is scanned, the scores of the one before are not shown") {
    driver.Open("beta", 3, 4);
    driver.Answer(6);
    CHECK(ScanInView(driver.state) == nullptr);
    CHECK(driver.CountRequests<HeadScanJob>() == 2);
  }
  SECTION("more is asked for, and what there is stays meanwhile") {
    HeadScanSettings settings = driver.state.scan.settings;
    settings.twins = 3;
    driver.Do(ScanHeads{settings});
    CHECK(driver.CountRequests<HeadScanJob>() == 2);
    CHECK(ScanInView(driver.state) != nullptr);
  }
}

TEST_CASE("a scan that a person stopped stays stopped until it is asked for", "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  const RequestId first = driver.state.scan.request;
  driver.Do(CancelWork);
  driver.Event(first, Cancelled());
  CHECK(driver.state.scan.is_stopped);
  CHECK(driver.CountRequests<HeadScanJob>() == 1);
  driver.Do(ScanHeads{driver.state.scan.settings});
  CHECK(driver.CountRequests<HeadScanJob>() == 2);
  CHECK_FALSE(driver.state.scan.is_stopped);
}

TEST_CASE("a scan that ended for a model that could not be opened is begun again",
          "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  const RequestId first = driver.state.scan.request;
  driver.Do(OpenFolder{"/models/broken"});
  driver.Event(first, Cancelled());
  CHECK(driver.CountRequests<HeadScanJob>() == 1);
  driver.Event(driver.state.opening.request, Failed{{ErrorCode::kFormat, "not a model"}});
  CHECK(driver.CountRequests<HeadScanJob>() == 2);
}

TEST_CASE("a scan that fails says why, once", "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  driver.Event(driver.state.scan.request, Failed{{ErrorCode::kInput, "no probe fits"}});
  CHECK(driver.state.scan.fault == "no probe fits");
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<HeadScanJob>() == 1);
}

TEST_CASE("measures are asked for once the scan is whole, and leave the examples as they are",
          "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  HeadScanReport plain = *StubScan();
  plain.is_measured = false;
  plain.done = 50;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(plain)});
  CHECK(driver.CountRequests<MeasuresJob>() == 0);
  plain.done = 100;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(plain)});
  driver.Event(driver.state.scan.request, Finished{});
  CHECK(driver.CountRequests<MeasuresJob>() == 1);
  CHECK(Busy(driver.state));
  driver.Event(driver.state.examples.request, ExamplesFound{});
  driver.Event(driver.state.examples.request, Finished{});
  const RequestId request = driver.state.measures.request;
  driver.Event(request, Progress{2, 5, ""});
  CHECK(WorkWords(driver.state, driver.state.measures.request) == "comparing heads, 2 of 5");

  SECTION("they come with a report of the same scan") {
    driver.Event(request, HeadsMeasured{StubScan()});
    driver.Event(request, Finished{});
    CHECK(ScanInView(driver.state)->is_measured);
    CHECK(ExamplesInView(driver.state) != nullptr);
    CHECK(driver.CountRequests<ExamplesJob>() == 1);
    CHECK(driver.CountRequests<MeasuresJob>() == 1);
  }
  SECTION("a person stops them, and has them go on") {
    driver.Do(CancelWork);
    driver.Event(request, Cancelled());
    CHECK(driver.state.measures.is_stopped);
    CHECK(driver.CountRequests<MeasuresJob>() == 1);
    driver.Do(ScanHeads{driver.state.scan.settings});
    CHECK(driver.CountRequests<MeasuresJob>() == 2);
    CHECK(driver.CountRequests<HeadScanJob>() == 1);
    CHECK_FALSE(driver.state.measures.is_stopped);
  }
  SECTION("another model's do not come to this one") {
    driver.Open("beta", 3, 4);
    driver.Answer(6);
    driver.Event(driver.state.scan.request,
                 HeadsScanned{std::make_shared<const HeadScanReport>(plain)});
    driver.Event(request, HeadsMeasured{StubScan()});
    CHECK_FALSE(ScanInView(driver.state)->is_measured);
  }
}

TEST_CASE("a measure is of the probe that has it, and in its own numbers", "[state][scores]") {
  HeadScanReport report = *StubScan();
  NamedScores none = StubScores("variability");
  for (HeadScore& head : none.heads) {
    head = {};
  }
  NamedScores composition = StubScores("k_composition");
  for (HeadScore& head : composition.heads) {
    head.rows = 0;
    head.chance = 0.0;
    head.error = 0.0042;
    head.score = *head.score - 0.3;
  }
  report.sentences->report.scores.insert(
      report.sentences->report.scores.end(),
      {none, StubScores("layer_divergence"), composition, StubScores("token_map:plural")});
  report.repeats->report.scores.insert(report.repeats->report.scores.end(),
                                       {StubScores("variability"), StubScores("layer_divergence")});
  const auto metrics = ScoredMetrics(report);
  REQUIRE(FindScored(metrics, "variability") != nullptr);
  CHECK(FindScored(metrics, "variability")->probe == &*report.repeats);
  CHECK(FindScored(metrics, "layer_divergence")->probe == &*report.sentences);
  CHECK(std::ranges::count(metrics, "layer_divergence", &ScoredMetric::id) == 1);
  const ScoredMetric& composed = *FindScored(metrics, "k_composition");
  CHECK(composed.name == "K-composition");
  CHECK_FALSE(composed.number->words.pitfall.empty());
  CHECK(ScoreWords(composed, composed.scores->heads[11]) ==
        "K-composition +0.250 ± .004, chance +0.000");
  const ScoreRange range = RangeOf(composed);
  CHECK(range.is_signed);
  CHECK(range.low == Approx(-0.3));
  CHECK(range.high == Approx(0.3));
  const ScoreRange apart = RangeOf(*FindScored(metrics, "layer_divergence"));
  CHECK(apart.low == Approx(0.0));
  CHECK(apart.chance.has_value());
  CHECK(FindScored(metrics, "token_map:plural")->name == "token map: plural");
}

TEST_CASE("examples are asked for once the scan is whole, of the head and metric that are chosen",
          "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  HeadScanReport begun = *StubScan();
  begun.done = 50;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(begun)});
  CHECK(driver.CountRequests<ExamplesJob>() == 0);
  driver.Event(driver.state.scan.request, HeadsScanned{StubScan()});
  driver.Event(driver.state.scan.request, Finished{});
  CHECK(driver.CountRequests<ExamplesJob>() == 1);
  CHECK(ExamplesInView(driver.state) == nullptr);
  HeadExample example;
  example.score = 0.5;
  driver.Event(driver.state.examples.request, ExamplesFound{{.texts = {example}, .pairs = {}}});
  driver.Event(driver.state.examples.request, Finished{});
  REQUIRE(ExamplesInView(driver.state) != nullptr);
  CHECK(ExamplesInView(driver.state)->answer.texts.size() == 1);
  driver.Do(StepHead{.layers = 0, .heads = 1});
  CHECK(ExamplesInView(driver.state) == nullptr);
  CHECK(driver.CountRequests<ExamplesJob>() == 2);
  driver.Do(ShowMetric{"induction"});
  CHECK(driver.CountRequests<ExamplesJob>() == 3);
  const ExamplesJob* last = nullptr;
  for (const Effect& effect : driver.effects) {
    const auto* const submit = std::get_if<Submit>(&effect);
    const auto* const job =
        submit != nullptr ? std::get_if<ExamplesJob>(&submit->request) : nullptr;
    last = job != nullptr ? job : last;
  }
  REQUIRE(last != nullptr);
  CHECK(last->metric == "induction");
  CHECK(last->on_repeats);
  driver.Event(driver.state.examples.request, Failed{{ErrorCode::kInput, "no text asks for it"}});
  REQUIRE(ExamplesInView(driver.state) != nullptr);
  CHECK(ExamplesInView(driver.state)->fault == "no text asks for it");
  CHECK(driver.CountRequests<ExamplesJob>() == 3);
}

TEST_CASE("each metric is listed once, from the probe that it is measured on", "[state][scores]") {
  const auto report = StubScan();
  const auto metrics = ScoredMetrics(*report);
  std::vector<std::string> ids;
  for (const ScoredMetric& metric : metrics) {
    ids.push_back(metric.id);
  }
  CHECK(ids == std::vector<std::string>{
                   "previous_token", "induction", "entropy", "dep:obj:dependent-to-head"});
  CHECK(metrics[0].probe == &*report->sentences);
  CHECK(metrics[1].probe == &*report->repeats);
  CHECK(metrics[0].best == 11U);
  CHECK(metrics[3].name == "obj: object looks at its verb");
  CHECK(metrics[3].label == "obj: object → verb");
  CHECK(ScoreText(metrics[3], 0.83) == "83 %");
  // The role of a metric that is measured elsewhere does not count.
  const HeadSuggestions found(report.get());
  CHECK(found.Of({2, 3}).size() == 1);
  CHECK(found.Of({1, 2}).size() == 1);
  CHECK(found.Of({0, 0}).empty());
  CHECK(found.Of({7, 7}).empty());
  const HeadSuggestions none(nullptr);
  CHECK(none.Of({0, 0}).empty());
}

TEST_CASE("colours begin at chance and end at the best head or the threshold", "[state][scores]") {
  const auto report = StubScan();
  const auto metrics = ScoredMetrics(*report);
  const ScoreRange share = RangeOf(metrics[0]);
  CHECK(share.low == Approx(0.1));
  CHECK(share.high == Approx(0.55));
  CHECK(share.At(0.05) == 0.0F);
  CHECK(share.At(0.55) == 1.0F);
  const ScoreRange entropy = RangeOf(metrics[2]);
  CHECK(entropy.low == Approx(0.0));
  REQUIRE(entropy.chance);
  CHECK(*entropy.chance == Approx(0.1));
}

TEST_CASE("the list is in the order of any of its numbers, either way", "[state][scores]") {
  StateDriver driver;
  const auto report = StubScan();
  const auto metrics = ScoredMetrics(*report);
  CHECK(InOrder(metrics[0], driver.state.heads_look).front() == 11);
  driver.Do(SortHeads{HeadsOrder::kScore});
  CHECK(InOrder(metrics[0], driver.state.heads_look).front() == 0);
  driver.Do(SortHeads{HeadsOrder::kRows});
  CHECK(InOrder(metrics[0], driver.state.heads_look).front() == 11);
  driver.Do(SortHeads{HeadsOrder::kName});
  CHECK(InOrder(metrics[0], driver.state.heads_look).front() == 0);
  CHECK(TopHeads(metrics[0], 3) == std::vector<std::size_t>{11, 10, 9});
}

TEST_CASE("numbers near 0 are told with as many digits as they need, cases by their name",
          "[state][scores]") {
  HeadScanReport report = *StubScan();
  report.sentences->report.scores.push_back(StubScores("tree_score"));
  report.sentences->report.scores.push_back(StubScores("token_map:plural"));
  report.sentences->report.scores.push_back(StubScores("coreference"));
  const auto metrics = ScoredMetrics(report);
  const ScoredMetric& share = *FindScored(metrics, "previous_token");
  CHECK(ToldText(share, 0.83) == "0.83");
  CHECK(ToldText(share, 0.0024) == "0.0024");
  CHECK(ToldText(share, 0.0049) == "0.0049");
  CHECK(ToldText(share, -0.00012) == "-0.00012");
  CHECK(ToldText(share, 0.0) == "0.00");
  CHECK(ErrorText(share, 0.013) == ".01");
  CHECK(ErrorText(share, 0.0024) == "<.01");
  CHECK(ErrorText(share, 0.0) == ".00");
  const ScoredMetric& relation = *FindScored(metrics, "dep:obj:dependent-to-head");
  CHECK(ToldText(relation, 0.83) == "83 %");
  CHECK(ToldText(relation, 0.004) == "0.4 %");
  CHECK(ErrorText(relation, 0.004) == "<1");
  HeadScore score = share.scores->heads[11];
  score.error = 0.001;
  score.chance = 0.0024;
  CHECK(ScoreWords(share, score) == "previous token 0.55 ± <.01, chance 0.0024; 111 rows");
  CHECK(CountedCases(share, 1) == "1 row");
  CHECK(CountedCases(relation, 3) == "3 pairs");
  CHECK(CountedCases(*FindScored(metrics, "tree_score"), 497) == "497 dependencies");
  CHECK(CountedCases(*FindScored(metrics, "token_map:plural"), 73) == "73 pairs");
  CHECK(CountedCases(*FindScored(metrics, "coreference"), 20) == "20 mentions");
}

TEST_CASE("attention by distance is the mean over the rows that see it", "[state][scores]") {
  Thumbnail map{.rows = 3, .cols = 3, .pooled = false, .mean = {}, .max = {}};
  map.mean = {1.0F, kMasked, kMasked, 0.75F, 0.25F, kMasked, 0.5F, 0.25F, 0.25F};
  const RelativeAttention shares = AttentionByDistance(map);
  const auto at = [&](std::int64_t distance) {
    return static_cast<std::size_t>(distance + RelativeAttention::kFurthest);
  };
  CHECK(shares.mean[at(0)] == Approx(0.5));
  CHECK(shares.rows[at(0)] == 3);
  CHECK(shares.mean[at(-1)] == Approx(0.5));
  CHECK(shares.rows[at(-1)] == 2);
  CHECK(shares.mean[at(-2)] == Approx(0.5));
  CHECK(shares.rows[at(1)] == 0);
  // Of cross-attention row q has read the token at place q - 1.
  const RelativeAttention cross = AttentionByDistance(map, 1);
  CHECK(cross.mean[at(0)] == Approx(0.5));  // .75 and .25
  CHECK(cross.rows[at(0)] == 2);
  CHECK(cross.mean[at(-1)] == Approx(0.5));
  CHECK(cross.rows[at(-1)] == 1);
  CHECK(cross.rows[at(-2)] == 0);
}

TEST_CASE("a wider scan that became whole is asked for again the next time", "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  HeadScanSettings wide;
  wide.sentences = 0;
  wide.twins = 3;
  driver.Event(driver.state.scan.request, HeadsScanned{StubScan()});
  driver.Event(driver.state.scan.request, Finished{});
  CHECK(driver.state.scan.whole.empty());  // the default
  driver.Do(ScanHeads{wide});
  HeadScanReport report = *StubScan();
  report.settings = wide;
  report.done = 99;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(report)});
  CHECK(driver.state.scan.whole.empty());  // not whole
  report.done = 100;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(report)});
  driver.Event(driver.state.scan.request, Finished{});
  const std::vector<WholeScan> whole = driver.state.scan.whole;
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].model == driver.state.model->fingerprint);
  CHECK(whole[0].settings == wide);

  StateDriver next;
  next.Do(WholeScansAre{whole});
  next.ShowSomething();
  next.Do(SetScreen{&kScoresScreen});
  CHECK(next.state.scan.settings == wide);
  CHECK(next.state.scan.wanted == wide);
  StateDriver another;
  another.Do(WholeScansAre{{{"of another", wide}}});
  another.ShowSomething();
  CHECK(another.state.scan.settings == HeadScanSettings{});
}

TEST_CASE("keys after the row have a place where a row sees one", "[state][scores]") {
  Thumbnail map{.rows = 2, .cols = 2, .pooled = false, .mean = {}, .max = {}};
  map.mean = {1.0F, kMasked, 0.75F, 0.25F};
  CHECK_FALSE(AttentionByDistance(map).sees_ahead());
  map.mean = {0.5F, 0.5F, 0.75F, 0.25F};
  CHECK(AttentionByDistance(map).sees_ahead());
}

TEST_CASE("a row's entropy is in nats, beside the most that its keys allow", "[state][scores]") {
  Thumbnail map{.rows = 3, .cols = 3, .pooled = false, .mean = {}, .max = {}};
  map.mean = {1.0F, kMasked, kMasked, 0.5F, 0.5F, kMasked, 0.5F, 0.0F, 0.5F};
  const RowEntropies rows = EntropyByRow(map);
  REQUIRE(rows.nats.size() == 3);
  CHECK(rows.nats[0] == 0.0);
  CHECK(rows.most[0] == 0.0);
  CHECK(rows.nats[1] == Approx(std::log(2.0)));
  CHECK(rows.most[1] == Approx(std::log(2.0)));
  CHECK(rows.nats[2] == Approx(std::log(2.0)));  // a visible key without weight adds nothing
  CHECK(rows.most[2] == Approx(std::log(3.0)));
}

TEST_CASE("a suggestion that is accepted is a flag with its numbers, undone like one",
          "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  driver.Event(driver.state.scan.request, HeadsScanned{StubScan()});
  driver.Event(driver.state.scan.request, Finished{});
  const HeadIndex head{2, 3};
  const auto stands = [&] {
    const FlagSheet& flags = FlagsInView(driver.state);
    return AgreementOf(flags, HeadSuggestions(ScanInView(driver.state), flags), head);
  };
  CHECK(stands() == Agreement::kOnlySuggested);
  driver.Do(AcceptSuggestion{head, "induction"});
  const HeadFlag* const flag = FindFlag(FlagsInView(driver.state), head);
  REQUIRE(flag != nullptr);
  CHECK(flag->role == "induction");
  CHECK(flag->colour == "#E69F00");
  CHECK_THAT(flag->evidence, Says("it does so (strong)"));
  CHECK_THAT(flag->evidence, Says("all 40 probe sentences"));
  CHECK(stands() == Agreement::kAgree);
  CHECK(driver.Count<StoreSession>() == 1);
  driver.Do(UndoFlag);
  CHECK(stands() == Agreement::kOnlySuggested);

  driver.Do(AskReject{head, "induction"});
  CHECK(driver.state.dialogs.popup == Popup::kReject);
  driver.Do(EditReject{"no copies here"});
  driver.Do(RejectSuggestion);
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  CHECK(stands() == Agreement::kNothing);
  // A new scan does not bring it back.
  driver.Event(driver.state.scan.request, HeadsScanned{StubScan()});
  CHECK(stands() == Agreement::kNothing);
  CHECK(FindRejection(FlagsInView(driver.state), head, "induction")->reason == "no copies here");
  driver.Do(TakeBackReject{head, "induction"});
  CHECK(stands() == Agreement::kOnlySuggested);

  driver.Do(AcceptSuggestion{{1, 2}, "broad"});
  const FlagSheet& flags = FlagsInView(driver.state);
  const HeadSuggestions found(ScanInView(driver.state), flags);
  CHECK(AgreementOf(flags, found, {1, 2}) == Agreement::kConflict);
  driver.Do(AcceptSuggestion{{0, 1}, "broad"});
  CHECK(AgreementOf(FlagsInView(driver.state), found, {0, 1}) == Agreement::kOnlyMine);
  CHECK_THAT(FindFlag(FlagsInView(driver.state), {0, 1})->evidence, Says("not suggested"));
}

}  // namespace headscope::test
