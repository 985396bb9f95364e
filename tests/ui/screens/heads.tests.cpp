// The Heads screen with made-up scores: what it says, and what a click does.
#include <set>

#include "app/state/files/export_draft.h"
#include "app/views/heads/layout.h"
#include "app/views/screens.h"
#include "app/window/exports.h"
#include "core/figure/score_axis.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/heads/ablation_stub.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {
namespace {

struct ScannedDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void ShowScores() {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("heads").kind});
    app.Event(state().scan.request, HeadsScanned{StubScan()});
    app.Event(state().scan.request, Finished{});
    Frames(3);
  }
  // The area of the body: below the toolbar of one line.
  HeadsLayout Layout() {
    const Rect& middle = region(Panel::kMiddle).rect;
    return LayOutHeads(middle, state().heads_look.view, 3, 1.0F);
  }
};

}  // namespace

TEST_CASE("before a scan has a score the screen says that it is coming", "[ui][heads]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
  driver.Frames(2);
  CHECK(driver.Says("Scanning"));
  driver.app.Event(driver.state().scan.request,
                   Failed{{ErrorCode::kInput, "the vocabulary is too small"}});
  driver.Frames(2);
  CHECK(driver.Says("vocabulary"));
}

TEST_CASE("beside the open sheet every view stands within the toolbar, and none over the sheet",
          "[ui][heads]") {
  ScannedDriver driver(1000.0F, 700.0F);
  driver.ShowScores();
  driver.app.Do(ShowSheet{true});
  driver.Frames(3);
  const Rect bar = driver.region(Panel::kToolbar).rect;
  const Rect sheet = driver.layout().detail;
  REQUIRE(bar.x + bar.width == sheet.x);
  std::set<HeadsView> opened;
  for (float y = bar.y + 12.0F; y < bar.y + bar.height; y += 12.0F) {
    for (float x = bar.x + 10.0F; x < bar.x + bar.width; x += 16.0F) {
      driver.app.Do(SetHeadsView{HeadsView::kMap});
      driver.Click(x, y);
      opened.insert(driver.state().heads_look.view);
      driver.app.Do(OpenPopup{Popup::kNone});
    }
  }
  CHECK(opened.size() == 8);
  driver.app.Do(SetHeadsView{HeadsView::kMap});
  for (float x = sheet.x + 4.0F; x < sheet.x + 400.0F; x += 8.0F) {
    driver.Click(x, bar.y + 22.0F);
    REQUIRE(driver.state().heads_look.view == HeadsView::kMap);
  }
}

TEST_CASE(
    "heads that are placed by how alike they look say what is shown, and a dot leads to its head",
    "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  driver.app.Do(SetHeadsView{HeadsView::kAlike});
  driver.Frames(2);
  CHECK(driver.Says("Comparing"));
  const HeadPlacesQuestion question{driver.state().shown.request, PartInView(driver.state())};
  HeadPlacesState& places = driver.app.state.head_places;
  places.of = question;
  places.fault = "Too few heads";
  driver.Frames(2);
  CHECK(driver.Says("few"));
  places.answer = std::make_shared<const HeadPlaces>(
      HeadPlaces{.heads = {{{0, 1}, -0.3, 0.0}, {{1, 2}, 0.2, 0.1}},
                 .share_x = 0.5,
                 .share_y = 0.2,
                 .rows = 9});
  driver.Frames(2);
  CHECK(driver.Says("first axis: 50 %"));
  CHECK(driver.Says("second axis: 20 %"));
  const Rect area = driver.region(Panel::kMiddle).rect;
  std::set<HeadIndex> kept;
  for (float y = area.y + 60.0F; y < area.y + area.height; y += 9.0F) {
    for (float x = area.x + 40.0F; x < area.x + area.width; x += 9.0F) {
      driver.MoveTo(x, y);
      const HeadIndex head = driver.state().selection.head;
      if (head != HeadIndex{0, 0} && !kept.contains(head)) {
        driver.Click(x, y);
        CHECK(driver.state().selection.head_locked);
        kept.insert(driver.state().selection.head);
        driver.Click(x, y);  // lets go of it
      }
    }
  }
  CHECK(kept.contains(HeadIndex{0, 1}));
  CHECK(kept.contains(HeadIndex{1, 2}));
}

TEST_CASE("the map of heads shows the best ones with their scores, and each leads to its head",
          "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  CHECK(driver.Says("previous token"));
  CHECK(driver.Says("L2H3 0.55"));  // the best of the list
  CHECK(driver.Says("0.55"));       // in its cell
  CHECK(driver.Says("0.20"));       // the eighth
  CHECK_FALSE(driver.Says("0.15"));
  const HeadsGrid grid = LayOutHeadsGrid(driver.Layout().map, 3, 4, 1.0F);
  const Rect cell = grid.Cell(1, 2, 0.0F, 0.0F);
  driver.MoveTo(cell.x + 5.0F, cell.y + 5.0F);
  CHECK(driver.state().selection.head == HeadIndex{1, 2});
  CHECK_FALSE(driver.state().selection.head_locked);
  driver.Click(cell.x + 5.0F, cell.y + 5.0F);
  CHECK(driver.state().selection.head_locked);
  CHECK(driver.Says("L1H2"));
  CHECK(driver.Says("so."));  // the suggestion's sentence, in the panel
}

TEST_CASE("a metric is chosen by a click in the list, the upright one by its y", "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  const Rect list = driver.Layout().metrics;
  // Below the search: a heading of 26 and a metric of 46 pixels for each of four groups.
  const auto row = [&](int place) { return list.y + 72.0F + 72.0F * static_cast<float>(place); };
  driver.Click(list.x + 60.0F, row(1) + 20.0F);
  CHECK(driver.state().heads_look.metric == "induction");
  driver.Click(list.x + list.width - 28.0F, row(3) + 32.0F);
  CHECK(driver.state().heads_look.second == "entropy");
  CHECK(driver.state().heads_look.metric == "induction");
}

TEST_CASE("a dot of the scatter is a head", "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  driver.app.Do(SetHeadsView{HeadsView::kScatter});
  driver.Frames(2);
  // Both axes run to the best head, L2H3: its dot stands in the upper right corner.
  const Rect area = driver.Layout().scatter;
  const float legend = 18.0F;  // under the name of the axis: these letters are wide
  driver.Click(area.x + 58.0F + area.width - 90.0F, area.y + 36.0F + legend);
  CHECK(driver.state().selection.head == HeadIndex{2, 3});
  CHECK(driver.state().selection.head_locked);
}

TEST_CASE("an axis holds the scores that there are, and chance", "[ui][heads]") {
  HeadScanReport report = *StubScan();
  NamedScores low = StubScores("next_token");  // of a threshold of .5 that no head comes near
  for (HeadScore& head : low.heads) {
    head.score = *head.score * 0.06;
    head.chance = 0.02;
  }
  NamedScores narrow = StubScores("confidence");
  for (HeadScore& head : narrow.heads) {
    head.score = 0.7 + 0.001 * *head.score;
    head.chance = 0.7;
  }
  report.sentences->report.scores.push_back(low);
  report.sentences->report.scores.push_back(narrow);
  report.sentences->twins.push_back({low});
  report.sentences->twins[0][0].heads[3].score = 0.05;
  const auto metrics = ScoredMetrics(report);
  const ScoreAxis axis = AxisOf(*FindScored(metrics, "next_token"));
  CHECK(axis.low == 0.0);
  CHECK(axis.high == Approx(0.033));
  const ChartAxis named = axis.Named(*FindScored(metrics, "next_token"), "next token");
  CHECK(named.At(axis.chance) == Approx(0.02 / 0.033));
  CHECK(AxisWithTwins(*FindScored(metrics, "next_token")).high == Approx(0.05));
  const ScoreAxis short_one = AxisOf(*FindScored(metrics, "confidence"));
  CHECK(short_one.low == Approx(0.7));
  CHECK(short_one.high == Approx(0.72));  // no shorter
}

TEST_CASE("in little room the metrics stand above, and the list is scrolled to its last column",
          "[ui][heads]") {
  const HeadsLayout narrow = LayOutHeads({0.0F, 0.0F, 376.0F, 400.0F}, HeadsView::kList, 4, 1.0F);
  CHECK(narrow.metrics.width == 376.0F);
  CHECK(narrow.list.width == 376.0F);
  CHECK(narrow.list.y == narrow.metrics.height);
  const HeadsLayout wide = LayOutHeads({0.0F, 0.0F, 976.0F, 400.0F}, HeadsView::kList, 4, 1.0F);
  CHECK(wide.metrics.width == 284.0F);
  CHECK(wide.list.height == 400.0F);
  ScannedDriver driver(1000.0F, 700.0F);
  driver.ShowScores();
  driver.app.Do(SetHeadsView{HeadsView::kList});
  driver.app.Do(ShowSheet{true});
  driver.Frames(3);
  for (const char* const words : {"chance", "control", "cases", "roles"}) {
    INFO(words);
    CHECK(driver.Says(words));
  }
}

TEST_CASE("relations have a table of their best heads, and a row is a head", "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  driver.app.Do(SetHeadsView{HeadsView::kRelations});
  driver.Frames(3);
  for (const char* const words : {"best head", "obj", "L2H3", "55 %"}) {
    INFO(words);
    CHECK(driver.Says(words));
  }
  const Rect area = driver.Layout().relations;
  REQUIRE(area.height > 0.0F);
  driver.app.Do(ClickHead{{0, 0}});
  driver.Frames(2);
  // The only row stands below the words and the names; whatever their lines, a click finds it.
  for (float y = area.y + 30.0F;
       y < area.y + 200.0F && driver.state().selection.head != HeadIndex{2, 3};
       y += 10.0F) {
    driver.Click(area.x + 100.0F, y);
  }
  CHECK(driver.state().selection.head == HeadIndex{2, 3});
}

TEST_CASE("what Heads shows is exported, and its kinds are there to choose",
          "[ui][heads][export]") {
  ScannedDriver driver;
  driver.ShowScores();
  const auto kind_of = [&](HeadsView view) {
    driver.app.Do(SetHeadsView{view});
    driver.app.Do(OpenPopup{Popup::kExport});
    driver.Frames(3);
    const FigureKind* const kind = driver.state().dialogs.exporting.kind;
    for (const char* const there : {"heatmap", "scatter", "list", "roles", "relations"}) {
      CAPTURE(there);
      CHECK(IsThere(driver.state(), *FindFigureKind(FigureOf::kScores, there)));
    }
    const Result<FigureSubject> subject =
        SubjectFor(driver.state(), driver.state().dialogs.exporting);
    REQUIRE(subject.has_value());
    REQUIRE(subject->scores != nullptr);
    CHECK(kind->make(*subject).has_value());
    driver.app.Do(ClosePopup);
    return kind;
  };
  CHECK(kind_of(HeadsView::kMap) == FindFigureKind(FigureOf::kScores));
  CHECK(kind_of(HeadsView::kScatter) == FindFigureKind(FigureOf::kScores, "scatter"));
  CHECK(kind_of(HeadsView::kList) == FindFigureKind(FigureOf::kScores, "list"));
  CHECK(kind_of(HeadsView::kRelations) == FindFigureKind(FigureOf::kScores, "relations"));
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(OpenPopup{Popup::kExport});
  driver.Frames(3);
  CHECK_FALSE(driver.Says("score map"));  // those of other screens are not in the way
}

TEST_CASE("the tooltip of a map tells two suggested relations apart", "[ui][heads]") {
  ScannedDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
  HeadScanReport report = *StubScan();
  for (const std::string relation : {"det", "obj"}) {
    Suggestion one = StubSuggestion({1, 2}, "syntactic", "dep:" + relation + ":dependent-to-head");
    one.relation = relation;
    one.direction = "dependent-to-head";
    report.sentences->report.suggested.push_back(std::move(one));
  }
  driver.app.Event(driver.state().scan.request,
                   HeadsScanned{std::make_shared<const HeadScanReport>(std::move(report))});
  driver.app.Event(driver.state().scan.request, Finished{});
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.Frames(3);
  CHECK_FALSE(driver.Says("determiner"));
  const Rect& thumb = driver.region(Panel::kMiddle).maps[1 * 4 + 2].target;
  driver.MoveTo(thumb.x + 5.0F, thumb.y + 5.0F);
  driver.Frames(60);
  CHECK(driver.Says("determiner"));
  CHECK(driver.Says("object"));
}

TEST_CASE("the list is sorted by a click on a column, and a row is a head", "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  driver.app.Do(SetHeadsView{HeadsView::kList});
  driver.Frames(2);
  const Rect area = driver.Layout().list;
  const float first_row = area.y + 10.0F + 22.0F + 22.0F + 2.0F + 11.0F;
  driver.Click(area.x + 40.0F, first_row);
  CHECK(driver.state().selection.head == HeadIndex{2, 3});
  driver.Click(area.x + 18.0F + 30.0F, area.y + 10.0F + 22.0F + 11.0F);
  CHECK(driver.state().heads_look.order == HeadsOrder::kName);
  driver.Click(area.x + 40.0F, first_row);
  CHECK(driver.state().selection.head == HeadIndex{0, 0});
}

TEST_CASE("Inspect marks what a scan suggests, and its tooltip says it", "[ui][heads]") {
  ScannedDriver driver;
  driver.ShowScores();
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.Frames(3);
  const Rect& thumb = driver.region(Panel::kMiddle).maps[1 * 4 + 2].target;
  driver.MoveTo(thumb.x + 5.0F, thumb.y + 5.0F);
  driver.Frames(60);
  CHECK(driver.Says("suggested:"));
  CHECK(driver.Says("Not labelled; suggested: positional (3 shows why, F labels it)"));
  CHECK(driver.Says("positional"));
}

TEST_CASE("a head is taken away by a click, and what that costs stands beside the others",
          "[ui][heads][ablation]") {
  ScannedDriver driver(1600.0F, 1600.0F);
  driver.ShowScores();
  driver.app.Do(ClickHead{{2, 3}});
  driver.Frames(3);
  REQUIRE(driver.Says("What if this head were taken away?"));
  // The button is the only one that wide at the panel's left: looked for from the top.
  const Rect& panel = driver.region(Panel::kDetail).rect;
  for (float y = panel.y + 150.0F;
       y < panel.y + panel.height && driver.state().ablation.request == 0;
       y += 12.0F) {
    driver.Click(panel.x + 60.0F, y);
  }
  REQUIRE(driver.state().ablation.request != 0);
  REQUIRE(driver.state().ablation.wanted->head == HeadIndex{2, 3});
  CHECK(driver.Says("Stop"));
  const RequestId request = driver.state().ablation.request;
  driver.app.Event(request, HeadAblated{StubAblation({2, 3}, 0.5, 2)});
  driver.Frames(2);
  CHECK(driver.Says("2 of 4 heads"));
  CHECK(driver.Says("+0.500"));
  driver.app.Event(request, HeadAblated{StubAblation({2, 3}, 0.5)});
  driver.app.Event(request, Finished{});
  driver.Frames(2);
  CHECK_FALSE(driver.Says("taken away?"));
  CHECK(driver.Says("+0.250"));
  CHECK(driver.Says("1,812"));
  CHECK(driver.Says("measured:"));  // why the third way has no number
  driver.app.Do(ClickHead{{1, 0}});
  driver.Frames(3);
  CHECK(driver.Says("taken away?"));
  CHECK_FALSE(driver.Says("+0.500"));
}

TEST_CASE("numbers that decide no role and partners stand on the page, a partner is a click away",
          "[ui][heads]") {
  ScannedDriver driver(1600.0F, 1800.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
  HeadScanReport report = *StubScan();
  report.sentences->report.scores.push_back(StubScores("layer_divergence"));
  driver.app.Event(driver.state().scan.request,
                   HeadsScanned{std::make_shared<const HeadScanReport>(report)});
  driver.app.Event(driver.state().scan.request, Finished{});
  driver.app.Do(ClickHead{{2, 3}});
  CompositionPartners partners;
  partners.reads = {{{1, 2}, CompositionWay::kKeys, 0.4, 0.1, 0.01},
                    {{0, 0}, CompositionWay::kValues, 0.1, 0.1, 0.01}};
  driver.app.Event(driver.state().partners.request,
                   PartnersFound{std::make_shared<const CompositionPartners>(partners)});
  driver.app.Event(driver.state().partners.request, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("how different from its layer"));
  CHECK(driver.Says("Other numbers"));
  CHECK(driver.Says("+30 σ"));
  CHECK_FALSE(driver.Says("+0 σ"));
  const Rect& panel = driver.region(Panel::kDetail).rect;
  const auto click_down = [&](float x, const auto& is_done) {
    for (float y = panel.y + 150.0F; y < panel.y + panel.height && !is_done(); y += 10.0F) {
      driver.Click(x, y);
    }
    return is_done();
  };
  SECTION("the partner is looked at") {
    CHECK(click_down(panel.x + 250.0F, [&] {
      return driver.state().selection.head == HeadIndex{1, 2};
    }));
  }
  SECTION("its path is patched in Compare, into the input by which it is read") {
    CHECK(driver.Says("Patch this path"));
    REQUIRE(
        click_down(panel.x + panel.width - 60.0F, [&] { return driver.state().screen->compares; }));
    const PatchLook& look = driver.state().compare.patch_look;
    CHECK(look.is_shown);
    CHECK(look.paths.is_shown);
    CHECK(look.paths.input == HeadInput::kKeys);
    CHECK(look.paths.to == std::vector<HeadIndex>{{2, 3}});
    CHECK(driver.state().selection.head == HeadIndex{1, 2});
    driver.Frames(3);
    CHECK(driver.Says("missing"));
  }
}

TEST_CASE("a head's page leads to its share in the next word, and to patching", "[ui][heads]") {
  ScannedDriver driver(1600.0F, 1000.0F);
  driver.ShowScores();
  driver.app.Do(ClickHead{{1, 2}});
  driver.Frames(3);
  CHECK(driver.Says("Share in the next word"));
  const std::string wanted = GENERATE("inspect", "compare");
  CAPTURE(wanted);
  const Rect panel = driver.region(Panel::kDetail).rect;
  const auto is_there = [&] { return driver.state().screen->id == wanted; };
  for (float y = panel.y + 40.0F; y < panel.y + 180.0F && !is_there(); y += 10.0F) {
    for (float x = panel.x + 140.0F; x < panel.x + 400.0F && !is_there(); x += 20.0F) {
      driver.Click(x, y);
      if (!is_there()) {
        driver.app.Do(ClosePopup);
        driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
        driver.app.Do(ShowHead{{1, 2}});
      }
    }
  }
  REQUIRE(is_there());
  const Selection& selection = driver.state().selection;
  CHECK(selection.head == HeadIndex{1, 2});
  CHECK(selection.head_locked);
  if (wanted == "inspect") {
    CHECK(selection.point_locked);
    CHECK(selection.point == MapPoint{.query = 5});
    driver.Frames(2);
    CHECK(driver.Says("The next word"));
    // A row that is held already stays.
    driver.app.Do(ClickCell{MapPoint{.query = 2}});
    driver.app.Do(ShowShares{{0, 1}});
    CHECK(selection.point == MapPoint{.query = 2});
    CHECK(selection.head == HeadIndex{0, 1});
  } else {
    CHECK(driver.state().compare.patch_look.is_shown);
    CHECK_FALSE(driver.state().compare.patch_look.paths.is_shown);
  }
}

TEST_CASE("another head, and another screen, begin at the top of the panel", "[ui][heads]") {
  ScannedDriver driver(1600.0F, 400.0F);
  driver.ShowScores();
  driver.app.Do(ClickHead{{2, 3}});
  driver.Frames(3);
  const Rect& panel = driver.region(Panel::kDetail).rect;
  const float export_x = panel.x + panel.width - 18.0F - 30.0F;
  const float export_y = panel.y + 14.0F + 15.0F;
  const auto is_at_top = [&] {
    driver.app.Do(ClosePopup);
    driver.Frames(3);
    driver.Click(export_x, export_y);
    return driver.state().dialogs.popup == Popup::kExport;
  };
  const auto scroll = [&] {
    driver.app.Do(ClosePopup);
    driver.Frames(3);
    driver.Wheel(panel.x + 100.0F, panel.y + 250.0F, -3.0F);
  };
  REQUIRE(is_at_top());
  scroll();
  REQUIRE_FALSE(is_at_top());
  driver.app.Do(ClickHead{{1, 2}});
  CHECK(is_at_top());
  scroll();
  REQUIRE_FALSE(is_at_top());
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  CHECK(is_at_top());
}

TEST_CASE("the wheel scrolls a head's page where Inspect had its map", "[ui][heads]") {
  ScannedDriver driver(1600.0F, 700.0F);
  driver.ShowScores();
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.Frames(3);
  const Rect map = driver.memory().map_rect;
  REQUIRE(map.width > 0.0F);
  driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
  driver.Frames(3);
  const Rect panel = driver.region(Panel::kDetail).rect;
  REQUIRE(Contains(panel, map.x + 50.0F, map.y + 50.0F));
  driver.Wheel(map.x + 50.0F, map.y + 50.0F, -3.0F);
  driver.Click(panel.x + panel.width - 48.0F, panel.y + 29.0F);  // where Export was
  CHECK(driver.state().dialogs.popup != Popup::kExport);
}

TEST_CASE("the screen stands in windows of any size", "[ui][heads]") {
  for (const auto& [width, height] : {std::pair(1000.0F, 700.0F),
                                      std::pair(420.0F, 300.0F),
                                      std::pair(120.0F, 80.0F),
                                      std::pair(3000.0F, 2000.0F)}) {
    for (const HeadsView view : {HeadsView::kMap, HeadsView::kScatter, HeadsView::kList}) {
      ScannedDriver driver(width, height);
      driver.ShowScores();
      driver.app.Do(SetHeadsView{view});
      driver.MoveTo(width / 2.0F, height / 2.0F);
      driver.Frames(2);
      CHECK(driver.state().screen->id == "heads");
    }
  }
}

}  // namespace headscope::test
