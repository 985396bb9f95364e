// Choosing what heads are scored on: the menu, the line above the scores, and what they say.
#include "app/views/heads/layout.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/heads/own_probe_stub.h"

namespace headscope::test {
namespace {

struct ProbePanels : PanelDriver {
  using PanelDriver::PanelDriver;

  void ShowBundled() {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("heads").kind});
    app.Event(state().scan.request, HeadsScanned{StubScan()});
    app.Event(state().scan.request, Finished{});
    Frames(3);
  }
  void ShowOwn(const ChosenProbe& probe = kGapFile, std::int64_t done = 100) {
    ShowBundled();
    app.Do(ChooseProbe{probe});
    app.Event(state().probe_scan.request, HeadsScanned{StubOwnScan(probe, done)});
    if (done == 100) {
      app.Event(state().probe_scan.request, Finished{});
    }
    Frames(3);
  }
  // Clicks along a line of the middle from left to right until something comes of it.
  template <typename Done>
  void ClickAlong(float y, Done done) {
    const Rect& middle = region(Panel::kMiddle).rect;
    for (float x = middle.x + middle.width - 12.0F; x > middle.x && !done(); x -= 14.0F) {
      Click(x, y);
    }
  }
  [[nodiscard]] float BandMiddle() const { return region(Panel::kMiddle).rect.y + 20.0F; }
};

}  // namespace

TEST_CASE("a button opens the choice of texts, a typed path is scanned", "[ui][probe]") {
  ProbePanels driver;
  driver.ShowBundled();
  CHECK(driver.Says("Test texts: built in"));
  CHECK_FALSE(driver.Says("Scores on gap.tsv"));
  driver.memory().popup_anchor = {300.0F, 70.0F, 80.0F, 28.0F};
  driver.app.Do(OpenPopup{Popup::kProbe});
  driver.Frames(4);
  CHECK(driver.Says("What are the heads scored on?"));
  CHECK(driver.Says("Hidden sentences (retrieval)"));
  CHECK(driver.Says("GAP's"));
  driver.Type("/data/gap.tsv");
  driver.Press(Key::kEnter);
  CHECK(driver.state().probe_scan.probe == kGapFile);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  driver.Frames(3);
  CHECK(driver.Says("reading gap.tsv"));
  CHECK(driver.Says("still showing the built-in texts"));
  CHECK(driver.Says("Stop"));
}

TEST_CASE("list, map, scatter and page say which texts their numbers are of", "[ui][probe]") {
  ProbePanels driver(1600.0F, 1200.0F);
  driver.ShowOwn();
  CHECK(driver.Says("Test texts: gap.tsv"));
  CHECK(driver.Says("Scores on gap.tsv: 100 texts"));  // the line, and the page
  CHECK(driver.Says("gap.tsv;"));                      // the map: "coreference on gap.tsv; darkest"
  CHECK(driver.Says("on the built-in texts"));         // where roles come from
  CHECK(driver.Says("55 %"));                          // the best head's score
  driver.app.Do(SetHeadsView{HeadsView::kScatter});
  driver.app.Do(ShowMetric{.metric = "previous_token", .second = true});
  driver.Frames(2);
  CHECK(driver.Says("coreference on gap.tsv →"));
  CHECK(driver.Says("previous token on gap.tsv"));
  driver.app.Do(SetHeadsView{HeadsView::kList});
  driver.Frames(2);
  CHECK(driver.Says("coreference on gap.tsv: "));
  CHECK(driver.Says("30 %"));  // its control
  driver.app.Do(SetHeadsView{HeadsView::kSeries});
  driver.Frames(2);
  CHECK(driver.Says("A series is scanned on the built-in test texts."));

  driver.app.Do(SetHeadsView{HeadsView::kMap});
  driver.app.Do(ChooseProbe{});
  driver.app.Do(ShowMetric{"induction"});
  driver.Frames(3);
  CHECK(driver.Says("induction on bundled repeats"));
  CHECK(driver.Says("Scores on the built-in texts"));
  CHECK_FALSE(driver.Says("gap.tsv"));
}

TEST_CASE("the line has the way back, the roles and the notes", "[ui][probe]") {
  ProbePanels driver;
  driver.ShowOwn();
  CHECK(driver.Says("not all could be used: 1 note"));
  SECTION("back") {
    driver.ClickAlong(driver.BandMiddle(),
                      [&] { return driver.state().probe_scan.probe.kind == ProbeKind::kBundled; });
    CHECK(driver.state().probe_scan.probe.kind == ProbeKind::kBundled);
    driver.Frames(2);
    CHECK_FALSE(driver.Says("Scores on gap.tsv"));
  }
  SECTION("roles of these texts") {
    driver.app.Do(TakeRolesFrom{true});
    driver.app.Do(ClickHead{{2, 1}});
    driver.Frames(3);
    CHECK(driver.Says("on gap.tsv"));
    CHECK(driver.Says("coreference"));
    CHECK(driver.Says("so."));
  }
  SECTION("the notes name line and column in the menu") {
    driver.memory().popup_anchor = {300.0F, 70.0F, 80.0F, 28.0F};
    driver.app.Do(OpenPopup{Popup::kProbe});
    driver.Frames(4);
    CHECK(driver.Says("Notes on gap.tsv"));
    CHECK(driver.Says("/data/gap.tsv:"));
    CHECK(driver.Says("column"));
    CHECK(driver.Says("Roles are suggested from"));
  }
}

TEST_CASE("a scan of chosen texts can be stopped from the line and goes on from there",
          "[ui][probe]") {
  ProbePanels driver;
  driver.ShowOwn(kGapFile, 40);
  CHECK(driver.Says("40 of 100 texts so far"));
  CHECK(driver.Says("3 s left"));
  driver.app.effects.clear();
  driver.ClickAlong(driver.BandMiddle(), [&] { return driver.app.Last<Cancel>() != nullptr; });
  REQUIRE(driver.app.Last<Cancel>() != nullptr);
}

TEST_CASE("hidden sentences are a click away where retrieval has no score", "[ui][probe]") {
  ProbePanels driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
  HeadScanReport report = *StubScan();
  NamedScores none = StubScores("retrieval");
  for (HeadScore& head : none.heads) {
    head = {};
  }
  none.why_not = "no row qualifies";
  report.sentences->report.scores = {none};
  report.repeats->report.scores.clear();
  driver.app.Event(driver.state().scan.request,
                   HeadsScanned{std::make_shared<const HeadScanReport>(report)});
  driver.app.Event(driver.state().scan.request, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("needs hidden sentences"));
  const Rect list =
      LayOutHeads(driver.region(Panel::kMiddle).rect, HeadsView::kMap, 3, 1.0F).metrics;
  driver.Click(list.x + list.width - 40.0F, list.y + 72.0F + 32.0F);
  CHECK(driver.state().probe_scan.probe.kind == ProbeKind::kRetrieval);
  driver.app.Event(driver.state().probe_scan.request,
                   HeadsScanned{StubOwnScan({ProbeKind::kRetrieval, {}})});
  driver.app.Event(driver.state().probe_scan.request, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("sentences;"));  // "retrieval on hidden sentences; darkest"
  CHECK(driver.Says("in 7 of 10"));
}

TEST_CASE("the score that a file is for comes into sight in the list", "[ui][probe]") {
  ProbePanels driver(1600.0F, 420.0F);
  driver.ShowBundled();
  driver.app.Do(ChooseProbe{kGapFile});
  HeadScanReport report = *StubOwnScan();
  for (const char* id : {"next_token",
                         "self",
                         "first_token",
                         "separator",
                         "duplicate_token",
                         "induction",
                         "subword",
                         "entropy",
                         "confidence",
                         "distance"}) {
    report.sentences->report.scores.push_back(StubScores(id));
  }
  driver.app.Event(driver.state().probe_scan.request,
                   HeadsScanned{std::make_shared<const HeadScanReport>(report)});
  driver.Frames(4);
  CHECK(driver.Says("best control"));  // of coreference, the last of the list
}

TEST_CASE("failing cases stand on the page, and a click puts their text above", "[ui][probe]") {
  ProbePanels driver(1600.0F, 1600.0F);
  driver.ShowOwn();
  HeadExamples examples;
  HeadExample one;
  one.text = "Anna hid it before she left.";
  one.layer = EvenLayer(2, 4, 6);
  one.score = 0.5;
  one.rows = 1;
  examples.texts = {one};
  ProbeSequence text;
  text.text = one.text;
  auto sentence = std::make_shared<AnnotatedSentence>();
  for (const char* form : {"Anna", "Tom", "she"}) {
    AnnotatedWord word;
    word.form = form;
    sentence->words.push_back(word);
  }
  text.annotation = sentence;
  examples.failing.Add(text, {{.query = 2, .looked_at = 1, .expected = 0, .is_right = false}});
  driver.app.Event(driver.state().examples.request, ExamplesFound{examples});
  driver.app.Event(driver.state().examples.request, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("Failing cases"));
  CHECK(driver.Says("1 of 1 in the texts looked at"));
  CHECK(driver.Says("she → Tom, not Anna"));
}

TEST_CASE("a wrong file is told over the scores that stay", "[ui][probe]") {
  ProbePanels driver;
  driver.ShowOwn();
  driver.app.Do(ChooseProbe{{ProbeKind::kFile, "/data/bad.tsv"}});
  driver.app.Event(driver.state().probe_scan.request,
                   Failed{{ErrorCode::kFormat, "bad.tsv: line 1, column 1: expected a header"}});
  driver.Frames(3);
  CHECK(driver.Says("Heads cannot be scored on this"));
  CHECK(driver.Says("bad.tsv:"));
  CHECK(driver.Says("Scores on gap.tsv"));
}

TEST_CASE("the line stands in windows of any size", "[ui][probe]") {
  for (const auto& [width, height] : {std::pair(1000.0F, 700.0F),
                                      std::pair(420.0F, 300.0F),
                                      std::pair(120.0F, 80.0F),
                                      std::pair(3000.0F, 2000.0F)}) {
    for (const std::int64_t done : {40, 100}) {
      ProbePanels driver(width, height);
      driver.ShowOwn(kGapFile, done);
      driver.MoveTo(width / 2.0F, height / 2.0F);
      driver.app.Do(OpenPopup{Popup::kProbe});
      driver.Frames(3);
      CHECK(driver.state().screen->id == "heads");
    }
  }
}

}  // namespace headscope::test
