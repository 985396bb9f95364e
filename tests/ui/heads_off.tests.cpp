// Heads taken away in the panels: by a key on a thumbnail, with the band over the grid.
#include "app/views/inspect/panels.h"
#include "app/views/screens.h"
#include "app/window/exports.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

// Where a thumbnail is; found by pointing.
bool PointAtHead(PanelDriver* driver, HeadIndex head) {
  const Rect& middle = driver->layout().middle_visible;
  for (float y = middle.y; y < middle.y + middle.height; y += 40.0F) {
    for (float x = middle.x; x < middle.x + middle.width; x += 40.0F) {
      driver->MoveTo(x, y);
      if (driver->memory().pointed_head == head) {
        return true;
      }
    }
  }
  return false;
}

TEST_CASE("X takes the pointed head away, and the band leads back", "[ui][heads off]") {
  for (const auto& [width, height] : {std::pair(1600.0F, 1000.0F), std::pair(1000.0F, 700.0F)}) {
    INFO(width);
    PanelDriver driver(width, height);
    driver.app.ShowSomething(6);
    driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
    driver.Frames(3);
    CHECK_FALSE(driver.Says("Put back"));
    REQUIRE(PointAtHead(&driver, {0, 2}));
    driver.Type("x");
    driver.Frames(2);
    CHECK(driver.state().heads_off.chosen.heads == std::vector<HeadIndex>{{0, 2}});
    CHECK(driver.Says("1 head off: L0H2 (zero)"));
    CHECK(driver.Says("computing the layers after it…"));
    CHECK(driver.Says("off"));
    CHECK(driver.Says("Put back"));
    // It stays where it was pointed at: the same key puts it back.
    REQUIRE(PointAtHead(&driver, {0, 2}));
    driver.Type("x");
    driver.Frames(2);
    CHECK(driver.state().heads_off.chosen.heads.empty());
    CHECK_FALSE(driver.Says("Put back"));
    // Without the pointer on a thumbnail it is the selected head.
    driver.app.Do(ShowHead{{1, 1}});
    driver.MoveTo(-100.0F, -100.0F);
    driver.Type("x");
    driver.Frames(2);
    CHECK(driver.state().heads_off.chosen.heads == std::vector<HeadIndex>{{1, 1}});
    driver.Type("b");
    CHECK(driver.state().heads_off.shows_whole);
    driver.Frames(2);
    CHECK(driver.Says("Without them again"));
    driver.Type("b");
    CHECK_FALSE(driver.state().heads_off.shows_whole);
  }
}

TEST_CASE("a key that is held down switches once, and steps on", "[ui][inspect]") {
  PanelDriver driver(1600.0F, 1000.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(ShowHead{{1, 1}});
  driver.Frames(3);
  driver.MoveTo(-100.0F, -100.0F);
  driver.Type("x");
  REQUIRE(driver.state().heads_off.chosen.heads.size() == 1);
  driver.Hold(U'x');
  CHECK(driver.state().heads_off.chosen.heads.size() == 1);
  driver.Type("b");
  REQUIRE(driver.state().heads_off.shows_whole);
  driver.Hold(U'b');
  CHECK(driver.state().heads_off.shows_whole);
  const Theme theme = driver.state().theme;
  const Curve curve = driver.state().settings.curve;
  const bool is_locked = driver.state().selection.head_locked;
  for (const char32_t key : U"tcrvo kKnpwfsm/234") {
    if (key != U'\0') {
      driver.Hold(key);
    }
  }
  CHECK(driver.state().theme == theme);
  CHECK(driver.state().settings.curve == curve);
  CHECK(driver.state().selection.head_locked == is_locked);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  CHECK(driver.state().screen == &ScreenNamed("inspect").kind);
  driver.Hold(Key::kDelete);
  CHECK(driver.state().heads_off.chosen.heads.size() == 1);
  driver.Hold(Key::kF5);
  CHECK_FALSE(driver.state().presenting);
  // Arrows go on.
  const HeadIndex head = driver.state().selection.head;
  driver.Hold(Key::kLeft);
  CHECK(driver.state().selection.head != head);
}

TEST_CASE("a held cell's edge is cut by a button or a key, and crossed out", "[ui][edges]") {
  for (const auto& [width, height] : {std::pair(1600.0F, 1000.0F), std::pair(1000.0F, 700.0F)}) {
    INFO(width);
    PanelDriver driver(width, height);
    driver.app.ShowSomething(6);
    driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
    driver.app.Do(ShowHead{{0, 1}});
    driver.app.Do(ShowSheet{true});
    driver.Frames(3);
    CHECK_FALSE(driver.Says("Cut this edge"));
    driver.app.Do(ClickCell{MapPoint{.query = 3, .key = 1}});
    driver.Frames(2);
    CHECK(driver.Says("Cut this edge"));
    CHECK(driver.Says("Cut this key for all rows"));
    CHECK(driver.Says("w3 (3) → w1 (1)"));
    driver.Type("k");
    driver.Frames(2);
    REQUIRE(driver.state().heads_off.chosen.edges == std::vector<CutEdge>{{{0, 1}, 1, 3}});
    CHECK(driver.Says("Join this edge"));
    driver.Type("K");
    driver.Frames(2);
    CHECK(driver.state().heads_off.chosen.edges.size() == 2);
    driver.app.Do(ShowSheet{false});
    driver.Frames(2);
    CHECK(driver.Says("rest stays"));
    CHECK_FALSE(driver.Says("mean of this text"));
    driver.Type("b");
    CHECK(driver.state().heads_off.shows_whole);
    driver.Type("b");
    driver.app.Do(PutHeadsBack);
    driver.Frames(2);
    CHECK_FALSE(driver.Says("Put back"));
  }
}

// The vertices of the window that have the ink of what is off.
std::int64_t OffInk(const PanelDriver& driver) {
  const ImU32 ink = IM_COL32(kOffInk.r, kOffInk.g, kOffInk.b, 255);
  std::int64_t count = 0;
  for (int i = 0; i < driver.drawn().CmdListsCount; ++i) {
    for (const ImDrawVert& vertex : driver.drawn().CmdLists[i]->VtxBuffer) {
      count += vertex.col == ink ? 1 : 0;
    }
  }
  return count;
}

TEST_CASE("lines, arcs and the text cross out an edge that is cut", "[ui][edges]") {
  const HeadView view =
      GENERATE(HeadView::kMap, HeadView::kLines, HeadView::kArcs, HeadView::kText);
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(ShowHead{{0, 1}});
  HeadLook look = driver.state().head_look;
  look.view = view;
  driver.app.Do(SetHeadLook{look});
  driver.app.Do(ClickCell{MapPoint{.query = 3, .key = 1}});
  driver.Frames(3);
  driver.Type("k");
  driver.Frames(3);
  REQUIRE(driver.state().heads_off.chosen.edges.size() == 1);
  const std::int64_t with_cut = OffInk(driver);
  // Another edge of another row is no part of what is drawn now, but of the map.
  driver.app.Do(SwitchEdge{CutEdge{{0, 2}, 1, 3}});
  driver.app.Do(SwitchEdge{CutEdge{{0, 1}, 1, 3}});
  driver.Frames(3);
  CHECK(OffInk(driver) < with_cut);
}

TEST_CASE("a figure says which heads are off, or is refused", "[ui][heads off][export]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(SwitchHead{{0, 2}});
  ExportDraft draft;
  draft.kind = FindFigureKind(FigureOf::kAll);
  draft.path = "x.png";
  const auto early = SubjectFor(driver.state(), draft);
  REQUIRE_FALSE(early.has_value());
  CHECK_THAT(early.error().message, Says("are being computed; wait"));
  const RequestId id = driver.state().heads_off.request;
  const auto changed =
      MakeEven({.id = {ModelPart::kWhole, 1}, .heads = 4, .queries = 6, .keys = 6});
  driver.app.Event(id, LayerReady{changed});
  driver.app.Event(
      id,
      LayerReady{MakeEven({.id = {ModelPart::kWhole, 2}, .heads = 4, .queries = 6, .keys = 6})});
  driver.app.Event(id, TextSaid{.why_not = "it says no words"});
  driver.app.Event(id, Finished{});
  driver.Frames(2);
  CHECK(driver.Says("no loss: it says no words"));
  const auto subject = SubjectFor(driver.state(), draft);
  REQUIRE(subject.has_value());
  CHECK(subject->layers[0] == driver.state().shown.layers[0]);
  CHECK(subject->layers[1] == changed);
  const auto figure = draft.kind->make(*subject);
  REQUIRE(figure.has_value());
  const std::vector<std::string>& notes = (*figure)->page().notes;
  REQUIRE_FALSE(notes.empty());
  CHECK(std::ranges::any_of(notes, [](const std::string& note) {
    return note.starts_with("Without L0H2 (zero): layers after");
  }));
  SECTION("without its caption it would not say so") {
    draft.has_caption = false;
    const auto refused = SubjectFor(driver.state(), draft);
    REQUIRE_FALSE(refused.has_value());
    CHECK_THAT(refused.error().message, Says("1 head off: L0H2 (zero), and this would not say so"));
  }
  SECTION("nor would a table on the clipboard") {
    draft.kind = FindFigureKind(FigureOf::kHead);
    driver.app.Do(EditExport{draft});
    const auto table = ValuesToCopy(driver.state());
    REQUIRE_FALSE(table.has_value());
    CHECK_THAT(table.error().message, Says("a table would not say so"));
    driver.app.Do(PutHeadsBack);
    CHECK(ValuesToCopy(driver.state()).has_value());
  }
  SECTION("the whole model's figure says nothing of it") {
    driver.app.Do(ShowWhole{true});
    const auto whole = SubjectFor(driver.state(), draft);
    REQUIRE(whole.has_value());
    CHECK(whole->layers == driver.state().shown.layers);
    CHECK(whole->context.notes.empty());
  }
}

TEST_CASE("the losses of the tokens unfold, and a bar holds the row that says it", "[ui][losses]") {
  PanelDriver driver(1600.0F, 1200.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.Frames(3);
  REQUIRE(driver.Says("Loss of each token ▸"));
  HeadLook look = driver.state().head_look;
  look.shows_losses = true;
  driver.app.Do(SetHeadLook{look});
  driver.Frames(2);
  CHECK(driver.Says("Loss of each token ▾"));
  CHECK(driver.Says("computing…"));
  NamedLosses named;
  for (int row = 0; row < 5; ++row) {
    named.losses.rows.push_back({.next = ActualWord{.loss = 2.0}, .likeliest = {}});
  }
  named.losses.rows.push_back({});
  named.likeliest.assign(6, "man");
  named.losses.loss = 2.0;
  const RequestId id = driver.state().whole_text.request;
  driver.app.Event(id, TextSaid{.whole = std::make_shared<const NamedLosses>(named)});
  driver.app.Event(id, Finished{});
  driver.Frames(2);
  CHECK(driver.Says("mean 2.00 nats, highest bar 2.0"));
  const Rect& panel = driver.layout().detail;
  const float x = panel.x + panel.width - 40.0F;  // the last token, which row 4 says
  for (float at = panel.y + panel.height; at > panel.y && !driver.state().selection.point_locked;
       at -= 9.0F) {
    driver.Click(x, at);
  }
  CHECK(driver.state().selection.point == MapPoint{.query = 4});
}

}  // namespace
}  // namespace headscope::test
