// The Compare screen with made-up divergences: what it says, and what a click or a drag does.
#include <algorithm>
#include <array>
#include <string_view>

#include "app/state/files/export_draft.h"
#include "app/views/compare/layout.h"
#include "app/views/compare/panels.h"
#include "app/views/heads/layout.h"
#include "app/views/screens.h"
#include "app/window/exports.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/compare/compare_stub.h"

namespace headscope::test {
namespace {

constexpr PairWish kShortNames{.has_two = true, .left = 60.0F, .right = 20.0F, .top = 60.0F};

struct ComparedDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void Open() {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("compare").kind});
    Frames(3);
  }
  void Show(std::int64_t heads_b = 4) {
    Open();
    ShowBeside(heads_b);
  }
  void ShowBeside(std::int64_t heads_b) {
    app.Do(CompareWith{{.model = "/models/beta"}});
    app.Event(state().compare.request, SidesCompared{StubPair(state(), heads_b)});
    app.Event(state().compare.request, Finished{});
    ShowMaps();
  }
  void ShowMaps() {
    if (state().compare.maps.request != 0) {
      app.Event(state().compare.maps.request, PairMapsReady{StubMaps(6)});
      app.Event(state().compare.maps.request, Finished{});
    }
    Frames(3);
  }
  CompareLayout Layout() {
    return LayOutCompare(region(Panel::kMiddle).rect, 3, kShortNames, 1.0F);
  }
  // Maps of the pair that are drawn now.
  const std::vector<MapPlacement>& Maps() { return region(Panel::kMiddle).maps; }
};

}  // namespace

TEST_CASE("however small the place, no part of Compare has a negative size", "[ui][compare]") {
  const auto sizes = [](const Rect& rect) { return rect.width >= 0.0F && rect.height >= 0.0F; };
  for (float width = 0.0F; width < 1200.0F; width += 23.0F) {
    for (float height = 0.0F; height < 800.0F; height += 31.0F) {
      CAPTURE(width, height);
      const Rect area{0.0F, 0.0F, width, height};
      for (const bool has_two : {false, true}) {
        const PairWish wish{.has_two = has_two, .left = 110.0F, .right = 40.0F, .top = 110.0F};
        const CompareLayout layout = LayOutCompare(area, 12, wish, 1.0F);
        REQUIRE((sizes(layout.heads) && sizes(layout.list) && sizes(layout.pair)));
        const PairLayout pair = LayOutPair(layout.pair, wish, 1.0F);
        REQUIRE(
            (sizes(pair.header) && sizes(pair.first) && sizes(pair.second) && sizes(pair.footer)));
      }
    }
  }
}

TEST_CASE("maps of a pair have 200 pixels beside the open sheet, by a part that scrolls",
          "[ui][compare]") {
  for (const CompareView view :
       {CompareView::kBeside, CompareView::kSwipe, CompareView::kDifference}) {
    CAPTURE(static_cast<int>(view));
    ComparedDriver driver(1000.0F, 700.0F);
    driver.Show();
    driver.app.Do(SetCompareLook{{.view = view}});
    driver.app.Do(ShowSheet{true});
    driver.Frames(3);
    REQUIRE_FALSE(driver.Maps().empty());
    const Rect first = driver.Maps().front().target;
    CHECK(first.height >= 200.0F);
    if (view != CompareView::kSwipe) {
      CHECK(first.width >= 200.0F);
    }
    const SceneRegion& middle = driver.region(Panel::kMiddle);
    CHECK(middle.maps_clip.width > 0.0F);
    CHECK(middle.maps_clip.y + middle.maps_clip.height <= driver.layout().status.y);
    // The wheel zooms over a map, and scrolls beside it.
    if (view == CompareView::kBeside) {
      CHECK(first.y + first.height < driver.Maps().back().target.y);
      driver.Wheel(first.x + 20.0F, first.y + 20.0F, 1.0F);
      CHECK(driver.state().selection.zoom.zoom > 1.0);
      CHECK(driver.Maps().front().target.y == first.y);
      driver.Type("0");
      driver.Wheel(first.x - 20.0F, first.y + 20.0F, -2.0F);
      CHECK(driver.state().selection.zoom.zoom == 1.0);
      CHECK(driver.Maps().front().target.y < first.y);
    }
  }
}

TEST_CASE("with nothing as side B the screen says what it is for and offers some",
          "[ui][compare]") {
  ComparedDriver driver;
  LibraryFound library;
  library.bundled = {{"copy-h1", "/models/copy-h1"},
                     {"copy-h4", "/models/copy-h4", "", {0, 100, 400}}};
  driver.app.Do(library);
  driver.app.Open("copy-h4", 3, 4);
  driver.app.Do(EditText{"the old sailor told a story"});
  driver.app.Answer(6);
  driver.app.Do(SetScreen{&ScreenNamed("compare").kind});
  driver.Frames(3);
  CHECK(driver.Says("Compare any two"));
  CHECK(driver.Says("copy-h4 against copy-h1"));
  CHECK(driver.Says("“story” in place of “sailor”"));
  CHECK(driver.Says("copy-h4 after 100 steps"));
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  const float x = middle.x + middle.width / 2.0F;
  // The first card lies somewhere below the words.
  for (float y = middle.y; y < middle.y + middle.height && !driver.state().compare.other;
       y += 30.0F) {
    driver.Click(x, y);
  }
  REQUIRE(driver.state().compare.other.has_value());
  CHECK(driver.state().compare.other->model == "/models/copy-h1");
  CHECK(driver.Says("Comparing"));
}

TEST_CASE("looks of Inspect that change weights are greyed elsewhere, where one is chosen",
          "[ui][compare]") {
  ComparedDriver driver;
  driver.Show();
  CHECK_FALSE(driver.Says("Heads: own weights"));
  HeadLook look = driver.state().head_look;
  look.map_of = MapOf::kValues;
  driver.app.Do(SetHeadLook{look});
  for (const char* screen : {"compare", "counts"}) {
    driver.app.Do(SetScreen{&ScreenNamed(screen).kind});
    driver.Frames(2);
    CHECK(driver.Says("Heads: own weights"));
  }
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.Frames(2);
  CHECK_FALSE(driver.Says("Heads: own weights"));
}

TEST_CASE("what side B cannot do stands where its result would be", "[ui][compare]") {
  ComparedDriver driver;
  driver.Open();
  driver.app.Do(CompareWith{{.model = "/models/beta"}});
  driver.app.Event(driver.state().compare.request,
                   Failed{{ErrorCode::kInput, "side B: the file is gone"}});
  driver.Frames(2);
  CHECK(driver.Says("gone"));
}

TEST_CASE("each head of A is coloured by its divergence, and a click leads to its pair",
          "[ui][compare]") {
  ComparedDriver driver;
  driver.Show();
  CHECK(driver.Says("Differ most"));
  CHECK(driver.Says("L2H3 ↔ L2H0"));  // first of the list
  CHECK(driver.Says("0.120"));
  CHECK(driver.Says("0.12"));  // in its cell
  const HeadsGrid grid = LayOutHeadsGrid(driver.Layout().heads, 3, 4, 1.0F);
  const Rect cell = grid.Cell(1, 2, 0.0F, 0.0F);
  driver.Click(cell.x + 5.0F, cell.y + 5.0F);
  CHECK(driver.state().selection.head == HeadIndex{1, 2});
  CHECK(driver.Says("L1H2 ↔ L1H1"));
  const Rect list = driver.Layout().list;
  driver.Click(list.x + 40.0F, list.y + 32.0F + 12.0F);
  CHECK(driver.state().selection.head == HeadIndex{2, 3});
}

TEST_CASE("small divergences have the digits and the colours that they need", "[ui][compare]") {
  ComparedDriver driver;
  driver.Open();
  driver.app.Do(CompareWith{{.model = "/models/beta"}});
  driver.app.Event(driver.state().compare.request,
                   SidesCompared{StubPair(driver.state(), 4, 0.00001)});
  driver.app.Event(driver.state().compare.request, Finished{});
  driver.ShowMaps();
  CHECK_FALSE(driver.Says("0.00 "));
  const auto& labels = driver.renderer().labels;
  CHECK(std::ranges::find(labels, "0.00") == labels.end());
  CHECK(driver.Says("1e-5"));       // the least of the cells
  CHECK(driver.Says("0.000120"));   // the largest, in the list
  CHECK(driver.Says("1e-4 nats"));  // the end of the bar
  CHECK(driver.Says("the largest here"));
  CHECK(ScaleOfDivergence(driver.state()).high == Approx(0.00012));
}

TEST_CASE("the names of 40 layers and 40 heads scroll along with the cells", "[ui][compare]") {
  ComparedDriver driver(1000.0F, 700.0F);
  driver.app.Open("deep", 40, 40);
  driver.app.Do(EditText{"a b c"});
  driver.app.Answer(6);
  driver.app.Do(SetScreen{&ScreenNamed("compare").kind});
  driver.ShowBeside(40);
  const auto names = [&](const char* name) {
    return std::ranges::count(driver.renderer().labels, std::string(name));
  };
  REQUIRE(names("L0") > 0);
  REQUIRE(names("L38") == 0);
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  driver.Wheel(middle.x + 120.0F, middle.y + 80.0F, -100.0F);
  CHECK(names("L0") == 0);
  CHECK(names("L38") > 0);
  // The pointer is on the cell beside the name: what it tells is of that row.
  driver.Click(middle.x + 120.0F, middle.y + 80.0F);
  CHECK(driver.state().selection.head.layer > 10);
}

TEST_CASE("a pair stands side by side under one zoom, and the pointer is on both",
          "[ui][compare]") {
  ComparedDriver driver;
  driver.Show();
  REQUIRE(driver.Maps().size() == 2);
  const Rect a = driver.Maps()[0].target;
  const Rect b = driver.Maps()[1].target;
  CHECK(a.width == b.width);
  CHECK(driver.Maps()[0].scale == driver.Maps()[1].scale);
  // The fourth row and the second column of B's map.
  driver.MoveTo(b.x + b.width * 1.5F / 6.0F, b.y + b.height * 3.5F / 6.0F);
  CHECK(driver.state().compare.point == MapPoint{.query = 3, .key = 1});
  driver.Frames(30);
  CHECK(driver.Says("+0.000000"));  // exact, of the layers: both are even
  driver.Wheel(b.x + b.width / 2.0F, b.y + b.height / 2.0F, 2.0F);
  CHECK(driver.state().selection.zoom.zoom > 1.0);
  CHECK(driver.Maps()[0].source == driver.Maps()[1].source);
  driver.Drag(a.x + a.width / 2.0F, a.y + a.height / 2.0F, -30.0F, 0.0F);
  CHECK(driver.Maps()[0].source == driver.Maps()[1].source);
  driver.Type("0");
  driver.Click(a.x + a.width * 0.5F / 6.0F, a.y + a.height * 5.5F / 6.0F);
  CHECK(driver.state().compare.point_locked);
  CHECK(driver.state().compare.point == MapPoint{.query = 5, .key = 0});
  driver.Press(Key::kEscape);
  CHECK_FALSE(driver.state().compare.point_locked);
}

// What the tooltip takes of the window; no width: there is none.
Rect TooltipOf(const PanelDriver& driver) {
  Rect box;
  for (int i = 0; i < driver.drawn().CmdListsCount; ++i) {
    const ImDrawList& list = *driver.drawn().CmdLists[i];
    if (!std::string_view(list._OwnerName).starts_with("##Tooltip") || list.VtxBuffer.empty()) {
      continue;
    }
    ImVec2 low = list.VtxBuffer[0].pos;
    ImVec2 high = low;
    for (const ImDrawVert& vertex : list.VtxBuffer) {
      low = {std::min(low.x, vertex.pos.x), std::min(low.y, vertex.pos.y)};
      high = {std::max(high.x, vertex.pos.x), std::max(high.y, vertex.pos.y)};
    }
    box = {low.x, low.y, high.x - low.x, high.y - low.y};
  }
  return box;
}

TEST_CASE("while a pair's maps are made their frames can be pointed at and zoomed",
          "[ui][compare]") {
  const CompareView view =
      GENERATE(CompareView::kBeside, CompareView::kSwipe, CompareView::kDifference);
  ComparedDriver driver;
  driver.Show();
  driver.app.Do(SetCompareLook{{.view = view}});
  driver.Frames(2);
  const Rect a = driver.Maps().front().target;
  driver.app.state.compare.maps.answer = nullptr;
  driver.Frames(2);
  CHECK(driver.Maps().empty());
  CHECK(driver.Says("way."));
  driver.Wheel(a.x + 20.0F, a.y + 20.0F, 2.0F);
  CHECK(driver.state().selection.zoom.zoom > 1.0);
  CHECK(driver.state().compare.point.has_value());
}

TEST_CASE("the tooltip covers neither the pointed cell nor its twin", "[ui][compare]") {
  const auto [width, height] = GENERATE(std::pair(1600.0F, 1000.0F), std::pair(1000.0F, 700.0F));
  ComparedDriver driver(width, height);
  driver.Show();
  REQUIRE(driver.Maps().size() == 2);
  const std::array maps = {driver.Maps()[0].target, driver.Maps()[1].target};
  const float side = maps[0].width / 6.0F;
  for (std::size_t pointed = 0; pointed < 2; ++pointed) {
    for (int cell = 0; cell < 36; ++cell) {
      const auto query = static_cast<float>(cell / 6);
      const auto key = static_cast<float>(cell % 6);
      driver.MoveTo(maps[pointed].x + (key + 0.7F) * side, maps[pointed].y + (query + 0.4F) * side);
      driver.Frames(2);
      const Rect box = TooltipOf(driver);
      CAPTURE(width, pointed, cell, box.x, box.y, box.width, box.height);
      REQUIRE(box.width > 50.0F);
      CHECK(box.x >= 0.0F);
      CHECK(box.y >= 0.0F);
      CHECK(box.x + box.width <= width);
      CHECK(box.y + box.height <= height);
      for (const Rect& map : maps) {
        const Rect own{map.x + key * side, map.y + query * side, side, side};
        const Rect covered = Intersection(box, own);
        CHECK(covered.width * covered.height == 0.0F);
      }
    }
  }
}

TEST_CASE("W shows the ways one after the other, and a swipe is dragged", "[ui][compare]") {
  ComparedDriver driver;
  driver.Show();
  driver.Type("w");
  CHECK(driver.state().compare.look.view == CompareView::kSwipe);
  REQUIRE(driver.Maps().size() == 2);
  const Rect left = driver.Maps()[0].target;
  const Rect right = driver.Maps()[1].target;
  CHECK(left.x + left.width == right.x);
  driver.Drag(right.x, left.y + left.height / 3.0F, 60.0F, 0.0F);
  CHECK(driver.state().compare.look.divider > 0.55F);
  CHECK(driver.Maps()[0].target.width > left.width + 50.0F);
  CHECK(driver.state().selection.zoom.zoom == 1.0);
  driver.Type("w");
  CHECK(driver.state().compare.look.view == CompareView::kDifference);
  REQUIRE(driver.Maps().size() == 1);
  CHECK(driver.Maps()[0].scale.colormap == Colormap::kDiverging);
  CHECK(driver.Says("B − A"));
  driver.Type("w");
  CHECK(driver.state().compare.look.view == CompareView::kBeside);
}

TEST_CASE("a click on a head of B pairs it by hand, and Reset undoes it", "[ui][compare]") {
  ComparedDriver driver;
  driver.Show();
  driver.app.Do(ClickHead{{0, 1}});
  driver.ShowMaps();
  CHECK(driver.Says("Matching of L0"));
  // Rows of heads in the panel: found by what a click on them does.
  const Rect& panel = driver.layout().detail;
  const float x = panel.x + 18.0F + 18.0F + 36.0F;  // the first head of either
  for (float y = panel.y + 100.0F; y < panel.y + 600.0F && driver.state().compare.by_hand.empty();
       y += 10.0F) {
    driver.app.Do(ClickHead{{0, 0}});
    driver.app.Do(ClickHead{{0, 1}});
    driver.Click(x, y);
  }
  REQUIRE(driver.state().compare.by_hand.size() == 1);
  CHECK(driver.state().compare.by_hand.front().head == HeadIndex{0, 1});
  CHECK(driver.state().compare.by_hand.front().other == 0);
  driver.Frames(2);
  CHECK(driver.Says("by hand"));
  CHECK(driver.Says("Reset"));
}

TEST_CASE("B opens what can stand as side B, and another sentence has a field of its own",
          "[ui][compare]") {
  ComparedDriver driver;
  driver.Open();
  driver.Type("b");
  driver.Frames(4);
  CHECK(driver.state().dialogs.popup == Popup::kCompare);
  driver.Press(Key::kEscape);
  InputText other;
  other.text = "a b d";
  driver.app.Do(CompareWith{{.model = {}, .input = other}});
  driver.Frames(3);
  REQUIRE(driver.memory().fields.Focus("sentence of B"));
  driver.Type("x");
  CHECK(driver.state().compare.other->input->text.find('x') != std::string::npos);
}

TEST_CASE("an export of the comparison says what both are and how they are paired",
          "[ui][compare][export]") {
  ComparedDriver driver;
  driver.Show();
  driver.app.Do(PairByHand{{1, 0}, 2});
  driver.app.Do(OpenPopup{Popup::kExport});
  driver.Frames(3);
  const ExportDraft& draft = driver.state().dialogs.exporting;
  const Result<FigureSubject> subject = SubjectFor(driver.state(), draft);
  REQUIRE(subject);
  REQUIRE(subject->comparison != nullptr);
  CHECK(subject->comparison->layers[1].PairOf(0)->b == 2);
  CHECK(subject->metadata.at("text") == "a b c");
  CHECK(subject->metadata.at("precision") == "f32");
  const auto figure = draft.kind->make(*subject);
  REQUIRE(figure);
  CHECK_THAT((*figure)->page().title, Says("alpha (A) and beta (B)"));
  CHECK_THAT((*figure)->page().caption, Says("A: alpha,"));
  driver.app.Do(ClosePopup);
  driver.app.Do(EditText{"d e f"});  // which is not compared yet
  const Result<FigureSubject> other = SubjectFor(driver.state(), draft);
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, Says("not compared yet"));
}

TEST_CASE("that two tokenizers are compared by words is said under the maps and in the panel",
          "[ui][compare]") {
  const auto [width, height] = GENERATE(std::pair(1600.0F, 1000.0F), std::pair(1000.0F, 700.0F));
  CAPTURE(width);
  ComparedDriver driver(width, height);
  driver.Open();
  driver.app.Do(CompareWith{{.model = "/models/beta"}});
  auto pair = std::make_shared<ComparedPair>(*StubPair(driver.state()));
  SharedAxis& axis = pair->comparison.queries;
  axis.place_a = {0, 1, 2, 3, 4, 5};
  axis.place_b = axis.place_a;
  axis.note =
      "The two tokenizers cut the text in other ways, so words are compared: a word's row is the "
      "mean.";
  pair->comparison.notes = {axis.note};
  const RequestId request = driver.state().compare.request;
  driver.app.Event(request, SidesCompared{std::shared_ptr<const ComparedPair>(pair)});
  driver.app.Event(request, Finished{});
  driver.ShowMaps();
  CHECK(driver.Says("tokenizers"));
  if (width > 1200.0F) {
    CHECK(driver.Says("shared words"));
  }
}

TEST_CASE("the selected pair is exported with both models, both heads and the text",
          "[ui][compare][export]") {
  ComparedDriver driver;
  driver.Show();
  driver.app.Do(PairByHand{{1, 0}, 2});
  driver.app.Do(ClickHead{{1, 0}});
  driver.app.Do(OpenPopup{Popup::kExport});
  driver.Frames(3);
  CHECK(driver.state().dialogs.exporting.kind->of == FigureOf::kComparison);
  ExportDraft draft = driver.state().dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kPair);
  driver.app.Do(EditExport{draft});
  driver.Frames(2);
  const ExportDraft& chosen = driver.state().dialogs.exporting;
  CHECK(chosen.path.ends_with("alpha-beta-L1H0-beside.png"));
  CHECK(ChoiceName(driver.state(), *chosen.kind) == "L1H0 beside L1H2");
  const Result<FigureSubject> subject = SubjectFor(driver.state(), chosen);
  REQUIRE(subject);
  REQUIRE(subject->beside != nullptr);
  CHECK(subject->beside->of == driver.state().compare.result);
  CHECK((subject->beside->layer == 1 && subject->beside->a == 0 && subject->beside->b == 2));
  CHECK(subject->beside->by_hand);
  const auto figure = chosen.kind->make(*subject);
  REQUIRE(figure);
  const FigurePage& page = (*figure)->page();
  CHECK(page.title == "L1H0 of alpha (A) and L1H2 of beta (B)");
  CHECK_THAT(page.caption, Says("A: alpha,") && Says("a b c"));
  CHECK_THAT(page.notes.front(), Says("Paired by hand"));
  // A head without a partner is refused with a sentence.
  ComparedDriver fewer;
  fewer.Show(2);
  fewer.app.Do(ClickHead{{0, 3}});
  const Result<FigureSubject> none = SubjectFor(fewer.state(), chosen);
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Says("L0H3 has no partner"));
}

TEST_CASE("a head without a partner says so", "[ui][compare]") {
  ComparedDriver driver;
  driver.Show(2);
  driver.app.Do(ClickHead{{0, 3}});
  driver.Frames(3);
  CHECK(driver.Says("no partner"));
  CHECK(driver.Maps().empty());
}

TEST_CASE("what is typed at once after B goes into the field of the path", "[ui][compare]") {
  ComparedDriver driver;
  driver.Open();
  driver.TypeAtOnce("b/w2");  // each of which is a key of its own elsewhere
  driver.Frames(8);
  CHECK(driver.state().dialogs.popup == Popup::kCompare);
  CHECK(driver.state().dialogs.model_path == "/w2");
}

TEST_CASE("the Compare screen stands in windows of any size", "[ui][compare]") {
  for (const auto& [width, height] : {std::pair(1000.0F, 700.0F),
                                      std::pair(420.0F, 300.0F),
                                      std::pair(120.0F, 80.0F),
                                      std::pair(3000.0F, 2000.0F)}) {
    for (const CompareView view :
         {CompareView::kBeside, CompareView::kSwipe, CompareView::kDifference}) {
      ComparedDriver driver(width, height);
      driver.Show();
      driver.app.Do(SetCompareLook{{.view = view}});
      driver.MoveTo(width / 2.0F, height / 2.0F);
      driver.Frames(2);
      CHECK(driver.state().screen->id == "compare");
    }
  }
}

}  // namespace headscope::test
