// Texts that a person chose to score heads on: what is asked for, what is shown, where roles come
// from.
#include "app/state/heads/own_probe.h"

#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/own_probe_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kHeadsLike{.id = "heads", .wants_scores = true};

struct ProbeDriver : StateDriver {
  ProbeDriver() {
    ShowSomething();
    Do(SetScreen{&kHeadsLike});
    Event(state.scan.request, HeadsScanned{StubScan()});
    Event(state.scan.request, Finished{});
  }
  void Choose(const ChosenProbe& probe = kGapFile) { Do(ChooseProbe{probe}); }
  void Tell(const std::shared_ptr<const HeadScanReport>& report) {
    Event(state.probe_scan.request, HeadsScanned{report});
  }
  void ChooseAndScan(const ChosenProbe& probe = kGapFile) {
    Choose(probe);
    Tell(StubOwnScan(probe));
    Event(state.probe_scan.request, Finished{});
  }
  const ProbeScanJob* LastJob() const {
    for (auto it = effects.rbegin(); it != effects.rend(); ++it) {
      if (const auto* submit = std::get_if<Submit>(&*it)) {
        if (const auto* job = std::get_if<ProbeScanJob>(&submit->request)) {
          return job;
        }
      }
    }
    return nullptr;
  }
  bool Suggests(HeadIndex head) const {
    const HeadSuggestions suggestions = SuggestionsInView(state);
    return !suggestions.Of(head).empty();
  }
};

Failed StoppedByHand() {
  return {{ErrorCode::kCancelled, "stopped"}};
}

}  // namespace

TEST_CASE("a chosen file is scanned, once, and shown when it has a score", "[state][probe]") {
  ProbeDriver driver;
  CHECK(driver.CountRequests<ProbeScanJob>() == 0);
  driver.Choose();
  REQUIRE(driver.CountRequests<ProbeScanJob>() == 1);
  CHECK(driver.LastJob()->probe == kGapFile);
  CHECK(Busy(driver.state));
  CHECK(ProbeScanWords(driver.state) == "reading gap.tsv");
  CHECK(ShownScan(driver.state) == driver.state.scan.report);
  driver.Tell(StubOwnScan(kGapFile, 0));
  CHECK(ShownScan(driver.state) == driver.state.scan.report);  // nothing to show yet
  driver.Tell(StubOwnScan(kGapFile, 40));
  CHECK(ProbeScanWords(driver.state) == "scanning gap.tsv, 40 %, 3 s left");
  CHECK(WorkWords(driver.state, driver.state.probe_scan.request) == ProbeScanWords(driver.state));
  REQUIRE(OwnScanInView(driver.state) != nullptr);
  CHECK(ShownScan(driver.state)->probe == kGapFile);
  CHECK(OwnProbeWords(*ShownScan(driver.state)) ==
        "gap.tsv: 40 of 100 texts so far; not all could be used: 1 note");
  CHECK(driver.state.heads_look.metric == "coreference");  // what such a file is for
  driver.Tell(StubOwnScan());
  driver.Event(driver.state.probe_scan.request, Finished{});
  CHECK(driver.CountRequests<ProbeScanJob>() == 1);
  CHECK(ScanInView(driver.state) == driver.state.scan.report.get());  // the other one stays
  const auto metrics = ScoredMetrics(*ShownScan(driver.state));
  REQUIRE(FindScored(metrics, "coreference") != nullptr);
  CHECK(SourceOf(*ShownScan(driver.state), *FindScored(metrics, "coreference")) == "gap.tsv");
  CHECK(FindScored(metrics, "dep:obj:dependent-to-head") == nullptr);  // not of this file

  SECTION("the bundled probe is a choice away, and costs nothing") {
    driver.Do(ChooseProbe{});
    CHECK(ShownScan(driver.state) == driver.state.scan.report);
    CHECK(driver.CountRequests<HeadScanJob>() == 1);
    CHECK(driver.CountRequests<ProbeScanJob>() == 1);
  }
  SECTION("chosen again it is read anew") {
    const std::uint64_t asked = driver.LastJob()->asked;
    driver.Choose();
    CHECK(driver.CountRequests<ProbeScanJob>() == 2);
    CHECK(driver.LastJob()->asked != asked);
    CHECK(ShownScan(driver.state)->probe == kGapFile);  // meanwhile
  }
  SECTION("a metric that a person chose meanwhile stays") {
    driver.Do(ShowMetric{"previous_token"});
    driver.Tell(StubOwnScan());
    CHECK(driver.state.heads_look.metric == "previous_token");
  }
}

TEST_CASE("a wrong file is told in its sentence, and what was shown stays", "[state][probe]") {
  ProbeDriver driver;
  const Failed wrong{{ErrorCode::kFormat, "/data/bad.tsv: line 1, column 1: expected a header"}};

  SECTION("the bundled probe's scores") {
    driver.Choose({ProbeKind::kFile, "/data/bad.tsv"});
    driver.Event(driver.state.probe_scan.request, wrong);
    CHECK(driver.state.probe_scan.probe.kind == ProbeKind::kBundled);
    CHECK(ShownScan(driver.state) == driver.state.scan.report);
  }
  SECTION("those of the good file before") {
    driver.ChooseAndScan();
    driver.Choose({ProbeKind::kFile, "/data/bad.tsv"});
    driver.Event(driver.state.probe_scan.request, wrong);
    CHECK(driver.state.probe_scan.probe == kGapFile);
    CHECK(ShownScan(driver.state)->probe == kGapFile);
  }
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kProbe) != nullptr);
  CHECK(NoticeAt(driver.state, ErrorPlace::kProbe)->sentence == wrong.error.message);
  const int asked = driver.CountRequests<ProbeScanJob>();
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<ProbeScanJob>() == asked);  // once
  CHECK(driver.state.probe_scan.request == 0);
  driver.Choose();
  CHECK(NoticeAt(driver.state, ErrorPlace::kProbe) == nullptr);
}

TEST_CASE("a scan of chosen texts that is stopped keeps its scores and goes on when asked",
          "[state][probe]") {
  ProbeDriver driver;
  driver.Choose();
  SECTION("before it has any, the choice is undone") {
    driver.Do(StopProbe);
    REQUIRE(driver.Last<Cancel>() != nullptr);
    CHECK(driver.Last<Cancel>()->id == driver.state.probe_scan.request);
    driver.Event(driver.state.probe_scan.request, StoppedByHand());
    CHECK(driver.state.probe_scan.probe.kind == ProbeKind::kBundled);
    CHECK_FALSE(CanGoOn(driver.state));
  }
  SECTION("later they stay") {
    const std::uint64_t asked = driver.LastJob()->asked;
    driver.Tell(StubOwnScan(kGapFile, 40));
    driver.Do(CancelWork);
    driver.Event(driver.state.probe_scan.request, StoppedByHand());
    CHECK(ShownScan(driver.state)->sequences_done == 40);
    REQUIRE(CanGoOn(driver.state));
    driver.Do(SetTheme{Theme::kLight});
    CHECK(driver.CountRequests<ProbeScanJob>() == 1);
    driver.Do(GoOnWithProbe);
    CHECK(driver.CountRequests<ProbeScanJob>() == 2);
    CHECK(driver.LastJob()->asked == asked);  // from where it was
  }
}

TEST_CASE("roles come from the bundled probe until a person says otherwise", "[state][probe]") {
  ProbeDriver driver;
  driver.ChooseAndScan();
  CHECK(driver.Suggests({2, 3}));
  CHECK_FALSE(driver.Suggests({2, 1}));
  driver.Do(TakeRolesFrom{true});
  CHECK(driver.Suggests({2, 1}));
  CHECK_FALSE(driver.Suggests({2, 3}));
  driver.Do(AcceptSuggestion{{2, 1}, "coreference"});
  const HeadFlag* const flag = FindFlag(FlagsInView(driver.state), {2, 1});
  REQUIRE(flag != nullptr);
  CHECK_THAT(flag->evidence, Says("Scan: gap.tsv: 100 texts"));

  SECTION("of the bundled one again with it") {
    driver.Do(ChooseProbe{});
    CHECK(driver.Suggests({2, 3}));
  }
  SECTION("of another file only when that is said again") {
    driver.ChooseAndScan({ProbeKind::kRetrieval, {}});
    CHECK_FALSE(driver.state.probe_scan.gives_roles);
    CHECK(driver.Suggests({2, 3}));
  }
  SECTION("of a part of the texts none") {
    driver.Choose();
    driver.Do(TakeRolesFrom{true});
    driver.Tell(StubOwnScan(kGapFile, 40));
    CHECK(driver.Suggests({2, 3}));
  }
}

TEST_CASE("hidden sentences show retrieval, and in how many texts the model knows the word",
          "[state][probe]") {
  ProbeDriver driver;
  driver.ChooseAndScan({ProbeKind::kRetrieval, {}});
  CHECK(driver.state.heads_look.metric == "retrieval");
  CHECK(OwnProbeWords(*ShownScan(driver.state)) ==
        "hidden sentences: 100 texts; the model is right in 7 of 10");
  CHECK_THAT(OwnProbeNotes(*ShownScan(driver.state)).back(), Says("7 of 10"));
}

TEST_CASE("examples are of the texts that are shown", "[state][probe]") {
  ProbeDriver driver;
  driver.ChooseAndScan();
  const auto job_of = [&]() -> const ExamplesJob* {
    for (auto it = driver.effects.rbegin(); it != driver.effects.rend(); ++it) {
      if (const auto* submit = std::get_if<Submit>(&*it)) {
        if (const auto* job = std::get_if<ExamplesJob>(&submit->request)) {
          return job;
        }
      }
    }
    return nullptr;
  };
  REQUIRE(job_of() != nullptr);
  CHECK(job_of()->on_chosen);
  CHECK(job_of()->metric == "coreference");
  driver.Event(driver.state.examples.request, ExamplesFound{});
  driver.Event(driver.state.examples.request, Finished{});
  CHECK(ExamplesInView(driver.state) != nullptr);
  driver.Do(ChooseProbe{});
  CHECK(ExamplesInView(driver.state) == nullptr);
}

TEST_CASE("a saved scan is of the texts that are shown", "[state][probe]") {
  ProbeDriver driver;
  driver.ChooseAndScan();
  driver.Do(OpenPopup{Popup::kScanSave});
  driver.Do(SaveScan{});
  REQUIRE(driver.Last<WriteScan>() != nullptr);
  CHECK(driver.Last<WriteScan>()->report == driver.state.probe_scan.report);
  CHECK(driver.Last<WriteScan>()->model == "/models/alpha");
}

TEST_CASE("another model is scanned on the same texts, and shows the other's scores nowhere",
          "[state][probe]") {
  ProbeDriver driver;
  driver.ChooseAndScan();
  driver.Open("beta", 3, 4);
  driver.Answer(6);
  CHECK(OwnScanInView(driver.state) == nullptr);
  CHECK(driver.CountRequests<ProbeScanJob>() == 2);
  CHECK(driver.LastJob()->probe == kGapFile);

  SECTION("where it cannot, the bundled probe is left") {
    driver.Event(driver.state.probe_scan.request,
                 Failed{{ErrorCode::kInput, "the model has no tokenizer"}});
    CHECK(driver.state.probe_scan.probe.kind == ProbeKind::kBundled);
  }
}

TEST_CASE("scores on chosen texts are hidden while a person labels blind", "[state][probe]") {
  ProbeDriver driver;
  driver.ChooseAndScan();
  driver.Do(LabelBlind{true});
  CHECK(OwnScanInView(driver.state) == nullptr);
  CHECK(ShownScan(driver.state) == nullptr);
  CHECK(RolesInView(driver.state) == nullptr);
}

TEST_CASE("a dropped probe is scanned and shown where heads are scored, from any screen",
          "[state][probe]") {
  ProbeDriver driver;
  const ScreenKind other{.id = "inspect"};
  const bool is_there = GENERATE(true, false);
  if (!is_there) {
    driver.Do(SetScreen{&other});
  }
  driver.Do(DropProbe{"/data/gap.tsv", &kHeadsLike});
  CHECK(driver.state.screen == &kHeadsLike);
  CHECK(driver.CountRequests<ProbeScanJob>() == 1);
  CHECK(driver.state.probe_scan.probe == kGapFile);
  CHECK(driver.state.notices.empty());
}

TEST_CASE("a text of lines is the sentence, and offered as texts to score heads on",
          "[state][probe]") {
  ProbeDriver driver;
  driver.Do(SetInput{InputText{.text = "a b\nc d", .pair = {}, .ids = {}}});
  driver.Do(OfferProbe{"/data/lines.txt", 2, false});
  const Notice* const notice = NoticeAt(driver.state, ErrorPlace::kOffer);
  REQUIRE(notice != nullptr);
  CHECK_THAT(notice->sentence, Says("lines.txt") && Says("2 lines"));
  CHECK(notice->probe == "/data/lines.txt");
  CHECK(driver.CountRequests<ProbeScanJob>() == 0);

  SECTION("taken, it is gone") {
    driver.Do(DropProbe{notice->probe, &kHeadsLike});
    CHECK(NoticeAt(driver.state, ErrorPlace::kOffer) == nullptr);
    CHECK(driver.state.probe_scan.probe.file == "/data/lines.txt");
  }
  SECTION("another sentence takes it away") {
    driver.Do(SetInput{InputText{.text = "e", .pair = {}, .ids = {}}});
    CHECK(NoticeAt(driver.state, ErrorPlace::kOffer) == nullptr);
  }
  SECTION("mentions in brackets are told of") {
    driver.Do(OfferProbe{"/data/wino.txt", 1, true});
    CHECK_THAT(NoticeAt(driver.state, ErrorPlace::kOffer)->sentence, Says("WinoBias"));
  }
}

TEST_CASE("a file for a probe is chosen by the desktop or from the list", "[state][probe]") {
  ProbeDriver driver;
  driver.Do(OpenPopup{Popup::kProbe});
  driver.Do(EditProbePath{"~/gap"});
  driver.Do(ChooseFile{FileWanted::kProbe});
  REQUIRE(driver.Last<AskDesktop>() != nullptr);
  driver.Do(FileChosen{"/data/gap.tsv"});
  CHECK(driver.state.probe_scan.probe == kGapFile);
  CHECK(driver.state.dialogs.probe_path == "/data/gap.tsv");
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  for (const char* name : {"a.txt", "a.ids", "a.conllu", "a.tsv", "a.txt.dev"}) {
    CHECK(IsWanted(name, FileWanted::kProbe));
  }
  CHECK_FALSE(IsWanted("a.json", FileWanted::kProbe));
}

}  // namespace headscope::test
