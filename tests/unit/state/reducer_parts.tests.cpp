// Encoder-decoders: three kinds of maps, two texts.
#include "app/state/heads/own_probe.h"
#include "app/state/inspect/grid_order.h"
#include "core/heads/scan/roles.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("the encoder is shown while the target is generated", "[state][parts]") {
  StateDriver driver;
  driver.Do(OpenFolder{"/models/beta"});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::EncoderDecoder("beta")});
  driver.AnswerEncoder(6);
  CHECK(driver.state.selection.head == HeadIndex{0, 0, ModelPart::kEncoder});
  CHECK(SelectedLayer(driver.state).layer->shape().queries == 6);
  driver.Do(ShowPart{ModelPart::kCross});
  CHECK(SelectedLayer(driver.state).layer == nullptr);
  CHECK(ShownLayers(driver.state) == 3);
  driver.AnswerDecoder(4);
  const LayerView cross = SelectedLayer(driver.state);
  REQUIRE(cross.layer != nullptr);
  CHECK(cross.layer->part() == ModelPart::kCross);
  CHECK(cross.layer->shape().queries == 4);
  CHECK(cross.layer->shape().keys == 6);
  CHECK(QueryTokens(cross)->tokens[0].display == "t0");
  CHECK(KeyTokens(cross)->tokens[0].display == "w0");
  driver.FinishAnswer();
  CHECK(driver.state.shown.request != 0);
  CHECK_FALSE(SelectedLayer(driver.state).stale);
}

TEST_CASE("every part is there at once after it was computed", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  for (const ModelPart part : {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
    driver.Do(ShowPart{part});
    for (std::int64_t layer = 0; layer < ShownLayers(driver.state); ++layer) {
      REQUIRE(LayerAt(driver.state, layer).layer != nullptr);
      CHECK(LayerAt(driver.state, layer).layer->part() == part);
      CHECK(LayerAt(driver.state, layer).layer->layer() == layer);
    }
  }
  CHECK(driver.CountRequests<AttendRequest>() == 0);
  CHECK(TotalHeads(*driver.state.model) == 2 * 4 + 2 * 3 * 4);
}

TEST_CASE("another part keeps the token of an axis that both have", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(ClickHead{{1, 2}});  // of the part in view
  CHECK(driver.state.selection.head == HeadIndex{1, 2, ModelPart::kEncoder});
  driver.Do(ClickCell{{5, 3}});
  driver.Do(ShowPart{ModelPart::kDecoder});
  CHECK(driver.state.selection.head == HeadIndex{1, 2, ModelPart::kDecoder});
  CHECK(driver.state.selection.head_locked);
  CHECK_FALSE(driver.state.selection.point_locked);  // a cell of two tokens of the text
  CHECK(driver.state.selection.row == 3);            // the target's last
  driver.Do(ClickCell{{2, 1}});
  driver.Do(ShowPart{ModelPart::kCross});
  CHECK(driver.state.selection.point == MapPoint{2});
  CHECK(driver.state.selection.point_locked);
  CHECK(driver.state.selection.row == 2);
  driver.Do(ShowPart{ModelPart::kEncoder});
  CHECK(driver.state.selection.row == 5);  // as it was left
  driver.Do(ShowPart{ModelPart::kCross});
  CHECK(driver.state.selection.row == 2);
}

constexpr ScreenKind kPartScores{.id = "heads", .wants_scores = true};

HeadScanReport ScanOfPart(ModelPart part, std::int64_t layers, const char* metric) {
  HeadScanReport report;
  report.done = 10;
  report.total = 10;
  report.is_measured = true;
  ProbeScores repeats;
  repeats.report.about.heads = {part, layers, 4};
  repeats.report.about.draw = "text";
  NamedScores scores{.id = metric, .heads = {}, .by_group = {}, .why_not = {}};
  HeadScore score;
  score.score = 0.3;
  score.rows = 10;
  scores.heads.resize(repeats.report.about.heads.count(), score);
  scores.heads[2].score = 0.9;
  repeats.report.scores = {scores};
  Suggestion one;
  one.head = {0, 2, part};
  one.role = "positional";
  one.metric = metric;
  one.verdict = Verdict::kStrong;
  repeats.report.suggested = {one};
  report.repeats = std::move(repeats);
  report.why_no_sentences = "the model has no tokenizer";
  return report;
}

TEST_CASE("scores and suggestions are those of the part in view", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(SetScreen{&kPartScores});
  HeadScanReport scanned = ScanOfPart(ModelPart::kEncoder, 2, "previous_token");
  scanned.more = {ScanOfPart(ModelPart::kDecoder, 3, "previous_token"),
                  ScanOfPart(ModelPart::kCross, 3, "source:+0")};
  REQUIRE(driver.state.scan.request != 0);
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(scanned)});
  driver.Event(driver.state.scan.request, Finished{});
  CHECK(CountScanned(*ScanInView(driver.state)) == 2 * 4 + 2 * 3 * 4);
  for (const auto& [part, layers, metric] : {std::tuple(ModelPart::kEncoder, 2, "previous_token"),
                                             std::tuple(ModelPart::kDecoder, 3, "previous_token"),
                                             std::tuple(ModelPart::kCross, 3, "source:+0")}) {
    INFO(PartName(part));
    driver.Do(ShowPart{part});
    const HeadScanReport* const report = PartScanInView(driver.state);
    REQUIRE(report != nullptr);
    CHECK(ScannedHeads(*report) == HeadsOfScan{part, layers, 4});
    CHECK(MetricInView(driver.state) == metric);
    CHECK(SecondMetricInView(driver.state) ==
          (part == ModelPart::kCross ? "source_next_token" : "induction"));
    const auto metrics = ScoredMetrics(*report);
    REQUIRE(FindScored(metrics, metric) != nullptr);
    CHECK(FindScored(metrics, metric)->best == 2U);
    const HeadSuggestions suggestions = SuggestionsInView(driver.state);
    CHECK(suggestions.Of({0, 2, part}).size() == 1);
    CHECK(suggestions.Of({0, 1, part}).empty());
    CHECK(GridHeads(driver.state).size() == static_cast<std::size_t>(layers * 4));
    driver.Do(ClickHead{{0, 2, part}});
    REQUIRE(driver.state.examples.wanted);
    CHECK(driver.state.examples.wanted->head == HeadIndex{0, 2, part});
    CHECK(driver.state.examples.wanted->metric == metric);
  }
  CHECK(AllSuggestions(scanned).size() == 3);
  CHECK(IsScanned(scanned, {2, 3, ModelPart::kCross}));
  CHECK_FALSE(IsScanned(scanned, {2, 3, ModelPart::kEncoder}));
  // What a person chose in one part has its like in another.
  driver.Do(ShowMetric{"source_token", false});
  driver.Do(ShowPart{ModelPart::kEncoder});
  CHECK(MetricInView(driver.state) == "duplicate_token");
  CHECK(MetricOfPart("subword", ModelPart::kCross) == "source:+0");
  CHECK(MetricOfPart("entropy", ModelPart::kCross) == "entropy");
  CHECK(MetricOfPart("variability", ModelPart::kCross) == "variability");
}

TEST_CASE("chosen texts show the part in view, and its examples are of them",
          "[state][parts][probe]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(SetScreen{&kPartScores});
  const ChosenProbe chosen{ProbeKind::kFile, "/data/a.ids"};
  const auto of = [](ModelPart part, std::int64_t layers, const char* metric) {
    HeadScanReport report = ScanOfPart(part, layers, metric);
    std::swap(report.repeats, report.sentences);
    std::swap(report.why_no_repeats, report.why_no_sentences);
    return report;
  };
  HeadScanReport bundled = of(ModelPart::kEncoder, 2, "previous_token");
  bundled.more = {of(ModelPart::kDecoder, 3, "previous_token"),
                  of(ModelPart::kCross, 3, "source:+0")};
  HeadScanReport own = bundled;
  for (HeadScanReport* one : {&own, &own.more[0], &own.more[1]}) {
    one->probe = chosen;
    one->sentences->report.suggested.clear();
  }
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(bundled)});
  driver.Event(driver.state.scan.request, Finished{});
  driver.Do(ChooseProbe{chosen});
  driver.Event(driver.state.probe_scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(own)});
  driver.Event(driver.state.probe_scan.request, Finished{});
  REQUIRE(OwnScanInView(driver.state) != nullptr);
  for (const ModelPart part : {ModelPart::kDecoder, ModelPart::kCross, ModelPart::kEncoder}) {
    INFO(PartName(part));
    driver.Do(ShowPart{part});
    driver.Do(ClickHead{{0, 2, part}});
    const HeadScanReport& shown = ShownScan(driver.state)->Of(part);
    CHECK(shown.probe == chosen);
    CHECK(ScannedHeads(shown)->part == part);
    REQUIRE(driver.state.examples.wanted);
    CHECK(driver.state.examples.wanted->scan == driver.state.probe_scan.report);
    CHECK(driver.state.examples.wanted->head == HeadIndex{0, 2, part});
    CHECK(driver.state.examples.wanted->metric ==
          (part == ModelPart::kCross ? "source:+0" : "previous_token"));
    driver.Do(TakeRolesFrom{false});
    const HeadSuggestions bundled_roles = SuggestionsInView(driver.state);
    CHECK(bundled_roles.Of({0, 2, part}).size() == 1);
    driver.Do(TakeRolesFrom{true});
    const HeadSuggestions own_roles = SuggestionsInView(driver.state);
    CHECK(own_roles.Of({0, 2, part}).empty());
  }
}

TEST_CASE("metrics of another part are not listed, far places only where a head keeps to them",
          "[state][parts]") {
  HeadScanReport cross = ScanOfPart(ModelPart::kCross, 3, "source:-3");
  NamedScores none{.id = "previous_token", .heads = {}, .by_group = {}, .why_not = "of one text"};
  none.heads.resize(12);
  NamedScores waiting = none;
  waiting.id = "source_token";
  cross.repeats->report.scores.push_back(none);
  cross.repeats->report.scores.push_back(waiting);
  const auto ids = [](const HeadScanReport& report) {
    std::vector<std::string> found;
    for (const ScoredMetric& metric : ScoredMetrics(report)) {
      found.push_back(metric.id);
    }
    return found;
  };
  CHECK(ids(cross) == std::vector<std::string>{"source_token", "source:-3"});
  for (HeadScore& score : cross.repeats->report.scores[0].heads) {
    score.score = 0.1;
  }
  CHECK(ids(cross) == std::vector<std::string>{"source_token"});
}

TEST_CASE("steps stay in the part in view and stop at its ends", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(ShowPart{ModelPart::kCross});
  for (int i = 0; i < 9; ++i) {
    driver.Do(StepHead{.layers = 1, .heads = 0});
  }
  CHECK(driver.state.selection.head == HeadIndex{2, 0, ModelPart::kCross});
  driver.Do(ShowPart{ModelPart::kEncoder});  // which has two layers
  CHECK(driver.state.selection.head == HeadIndex{1, 0, ModelPart::kEncoder});
}

TEST_CASE("the jump box goes to any part; L5H1 and 5.1 are of the one in view", "[state][parts]") {
  const auto [text, head] =
      GENERATE(table<const char*, HeadIndex>({{"E1H3", {1, 3, ModelPart::kEncoder}},
                                              {"d0h1", {0, 1, ModelPart::kDecoder}},
                                              {"X2H1", {2, 1, ModelPart::kCross}},
                                              {"cross layer 2 head 1", {2, 1, ModelPart::kCross}},
                                              {"L2H1", {2, 1, ModelPart::kDecoder}},
                                              {"2.1", {2, 1, ModelPart::kDecoder}}}));
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(ShowPart{ModelPart::kDecoder});
  driver.Do(OpenPopup{Popup::kJump});
  driver.Do(EditJump{text});
  driver.Do(Jump);
  CHECK(driver.state.selection.head == head);
  CHECK(driver.state.dialogs.popup == Popup::kNone);
}

TEST_CASE("a head of a part that is not there is refused with its name", "[state][parts]") {
  StateDriver driver;
  SECTION("past the part's layers") {
    driver.ShowEncoderDecoder();
    driver.Do(EditJump{"E2H0"});
    driver.Do(Jump);
    CHECK(driver.state.dialogs.jump_error == "There is no E2H0: layers are 0 to 1, heads 0 to 3.");
  }
  SECTION("of a model of one part") {
    driver.ShowSomething();
    driver.Do(EditJump{"X2H0"});
    driver.Do(Jump);
    CHECK(driver.state.dialogs.jump_error ==
          "There is no X2H0: this model has one part, write L2H0.");
  }
}

TEST_CASE("a typed target goes with the text; an empty one is generated", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  CHECK(driver.state.shown.generated == "generated words");
  driver.Do(EditTarget{"ein Ziel"});
  CHECK(driver.state.pending.input.text == "a b c");
  CHECK(driver.state.pending.input.target == "ein Ziel");
  driver.Do(EditText{"a b c d"});
  CHECK(driver.state.pending.input.target == "ein Ziel");
  driver.Do(EditTarget{""});
  CHECK_FALSE(driver.state.pending.input.target);
  CHECK(driver.state.pending.input.text == "a b c d");
}

TEST_CASE("a target that cannot be read leaves the picture", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(ShowPart{ModelPart::kCross});
  driver.Do(EditTarget{"too long"});
  driver.Event(driver.state.pending.request,
               Failed{{ErrorCode::kInput, "the target has 70 tokens"}});
  CHECK(NoticeAt(driver.state, ErrorPlace::kText)->sentence == "the target has 70 tokens");
  CHECK(SelectedLayer(driver.state).layer->shape().keys == 6);
  CHECK_FALSE(SelectedLayer(driver.state).stale);
}

TEST_CASE("a typed target does not follow to a model without a decoder", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(EditTarget{"ein Ziel"});
  driver.Do(ShowPart{ModelPart::kCross});
  driver.Open("alpha", 3, 4);
  CHECK_FALSE(driver.state.pending.input.target);
  driver.Answer(5);
  CHECK(driver.state.selection.head.part == ModelPart::kWhole);
  CHECK(SelectedLayer(driver.state).layer != nullptr);
}

TEST_CASE("a model that fails leaves the part that was in view before it", "[state][parts]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenFolder{"/models/beta"});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::EncoderDecoder("beta")});
  driver.AnswerEncoder(6);
  CHECK(driver.state.selection.head.part == ModelPart::kEncoder);
  driver.Event(driver.state.pending.request, Failed{{ErrorCode::kNumeric, "a NaN"}});
  CHECK(driver.state.selection.head.part == ModelPart::kWhole);
  CHECK(SelectedLayer(driver.state).layer != nullptr);
}

TEST_CASE("flags belong to a head of one part and go to the session with it", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  const auto flag = [&driver](ModelPart part, const char* role) {
    driver.Do(ShowPart{part});
    driver.Do(OpenPopup{Popup::kFlag});
    FlagDraft draft = driver.state.dialogs.flag;
    draft.role = role;
    driver.Do(EditFlag{draft});
    driver.Do(SaveFlag);
  };
  flag(ModelPart::kCross, "syntactic");
  flag(ModelPart::kEncoder, "positional");
  REQUIRE(FlagsInView(driver.state).flags.size() == 2);
  CHECK(FindFlag(FlagsInView(driver.state), {0, 0, ModelPart::kCross})->role == "syntactic");
  CHECK(FindFlag(FlagsInView(driver.state), {0, 0, ModelPart::kEncoder})->role == "positional");
  CHECK(FindFlag(FlagsInView(driver.state), {0, 0, ModelPart::kDecoder}) == nullptr);
  driver.Do(EditTarget{"ein Ziel"});
  driver.Do(ShowPart{ModelPart::kCross});
  driver.Do(CloseWindow);
  const SessionFile& session = driver.Last<StoreSession>()->session;
  CHECK(session.selected_part == ModelPart::kCross);
  CHECK(session.target == "ein Ziel");
  CHECK(session.flags[0].part == ModelPart::kEncoder);
  CHECK(session.flags[1].part == ModelPart::kCross);

  StateDriver again;
  again.Do(Start{.model = {}, .input = {}, .session = "/my/work.json"});
  again.Do(SessionLoaded{"/my/work.json", std::optional(session)});
  again.Do(ModelReady{again.state.opening.request, StateDriver::EncoderDecoder("beta")});
  CHECK(again.state.pending.input.target == "ein Ziel");
  again.AnswerEncoder(6);
  again.AnswerDecoder(4);
  again.FinishAnswer();
  CHECK(again.state.selection.head == HeadIndex{0, 0, ModelPart::kCross});
  CHECK(FlagsInView(again.state).flags == session.flags);
}

TEST_CASE("flags of a session without parts are the encoder's", "[state][parts]") {
  StateDriver driver;
  SessionFile session;
  session.model_path = "/models/beta";
  session.model_fingerprint = StateDriver::EncoderDecoder("beta")->fingerprint;
  session.text = "a";
  session.selected_layer = 1;
  session.flags = {{1, 2, "rare", "", ""}};
  driver.Do(Start{.model = {}, .input = {}, .session = "/my/work.json"});
  driver.Do(SessionLoaded{"/my/work.json", std::optional(session)});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::EncoderDecoder("beta")});
  driver.AnswerEncoder(6);
  CHECK(driver.state.selection.head == HeadIndex{1, 0, ModelPart::kEncoder});
  REQUIRE(FindFlag(FlagsInView(driver.state), {1, 2, ModelPart::kEncoder}) != nullptr);
  CHECK(FindFlag(FlagsInView(driver.state), {1, 2, ModelPart::kEncoder})->role == "rare");
}

TEST_CASE("names say the part: copied, and in the export's file", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(ShowPart{ModelPart::kCross});
  driver.Do(CopyName);
  CHECK(driver.Last<PutOnClipboard>()->text == "X0H0");
  driver.Do(OpenPopup{Popup::kExport});
  const auto path_of = [&driver](FigureOf of) {
    ExportDraft draft = driver.state.dialogs.exporting;
    draft.kind = FindFigureKind(of);
    driver.Do(EditExport{draft});
    return driver.state.dialogs.exporting.path;
  };
  CHECK(path_of(FigureOf::kHead) == "/exports/beta-X0H0.png");
  CHECK(path_of(FigureOf::kLayer) == "/exports/beta-X0-heads.png");
  CHECK(path_of(FigureOf::kAll) == "/exports/beta-cross-heads.png");
  CHECK(path_of(FigureOf::kCounts) == "/exports/beta-X0-counts.png");
}

TEST_CASE("head counts are asked for of the part in view", "[state][parts]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(SetScreen{&kCountsScreen});
  const ModelPart part = GENERATE(ModelPart::kDecoder, ModelPart::kCross);
  driver.Do(ShowPart{part});
  const auto* submit = driver.Last<Submit>();
  REQUIRE(submit != nullptr);
  CHECK(std::get<SplitJob>(submit->request).part == part);
}

}  // namespace
}  // namespace headscope::test
