// Patching on the Compare screen with made-up shares: what it says, and what a click does.
#include "app/state/compare/patching.h"

#include <algorithm>
#include <string>

#include "app/state/files/export_draft.h"
#include "app/views/compare/layout.h"
#include "app/views/compare/panels.h"
#include "app/views/heads/layout.h"
#include "app/views/screens.h"
#include "app/window/exports.h"
#include "tests/support/catch.h"
#include "tests/ui/screens/patching_driver.h"

namespace headscope::test {
TEST_CASE("the map of a pair's heads says what it is, and a click leads to the head in both texts",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  CHECK(driver.Says("Patching"));
  CHECK(driver.Says("Differ most"));
  driver.Patch();
  CHECK(driver.Says("Lead of “Mary” over “John” after “to”"));
  CHECK(driver.Says("A +3.00, B -1.00"));
  CHECK(driver.Says("share of the difference"));
  CHECK(driver.Says("Largest shares"));
  CHECK_FALSE(driver.Says("Differ most"));
  CHECK(driver.Says("+0.90"));  // the end of the bar, and the largest share
  CHECK(driver.Says("-0.90"));
  CHECK(driver.Says("L2H3"));
  CHECK(driver.Says("overlap"));  // what it does not prove
  CHECK(driver.Says("Layers and tokens"));
  CHECK(driver.Says("Mary / John"));
  // The list's first line is the largest.
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  REQUIRE(driver.state().selection.head != HeadIndex{2, 3});
  bool found = false;
  for (float y = middle.y; y < middle.y + middle.height / 2.0F && !found; y += 12.0F) {
    driver.Click(middle.x + middle.width - 120.0F, y);
    found = driver.state().selection.head == HeadIndex{2, 3};
  }
  REQUIRE(found);
  driver.AnswerMaps();
  CHECK(driver.Says("L2H3 ↔ L2H3"));
  CHECK(driver.Says("+2.60"));  // the lead with that head taken over
  CHECK(driver.region(Panel::kMiddle).maps.size() == 2);
  CHECK(driver.state().compare.by_hand.empty());
}

TEST_CASE("a cell of the map selects its head", "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  bool found = false;
  for (float y = middle.y; y < middle.y + middle.height / 2.0F && !found; y += 8.0F) {
    driver.Click(middle.x + 90.0F, y);
    found = driver.state().selection.head == HeadIndex{1, 0};
  }
  CHECK(found);
}

TEST_CASE("the segment of the toolbar opens patching and its choices are asked for",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  const Rect toolbar = driver.region(Panel::kToolbar).rect;
  REQUIRE(driver.PressUntil(
      toolbar, 24.0F, [&] { return driver.state().compare.patch_look.is_shown; }));
  driver.AnswerPatches();
  CHECK(driver.Says("B into A"));
  CHECK(driver.Says("Queries"));
  CHECK(driver.Says("right"));
  CHECK(driver.Says("wrong"));
}

TEST_CASE("what cannot be patched is said over the heads' divergences", "[ui][patching]") {
  PatchingDriver driver;
  driver.Open({.model = "/models/beta"});
  driver.Patch();
  CHECK(driver.Says("parts"));
  CHECK(driver.Says("Differ most"));
  CHECK_FALSE(driver.Says("Layers and tokens"));
  CHECK_FALSE(driver.Says("B into A"));
}

TEST_CASE("a token that is none is told, and the older map stays", "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  PatchLook look = driver.state().compare.patch_look;
  look.right = "Mar";
  driver.app.Do(SetPatchLook{look});
  driver.app.Event(driver.state().compare.patching.request,
                   Failed{{ErrorCode::kInput, "token \"Mar\": expected one token"}});
  driver.Frames(3);
  CHECK(driver.Says("\"Mar\":"));
  CHECK(driver.Says("Largest shares"));
  CHECK(driver.state().compare.patching.request == 0);
}

TEST_CASE("a token over the map of layers asks for the word after it", "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  const Rect& detail = driver.layout().detail;
  bool found = false;
  for (float y = detail.y + 80.0F; y < detail.y + 600.0F && !found; y += 14.0F) {
    driver.Click(detail.x + 20.0F + 36.0F + 34.0F * 2.5F, y);
    found = driver.state().compare.patch_look.row == 2;
  }
  CHECK(found);
}

TEST_CASE("Shift click on a token takes that row of heads alone, and again all rows",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  CHECK(driver.Says("All rows"));
  const Rect& detail = driver.layout().detail;
  const float x = detail.x + 20.0F + 36.0F + 34.0F * 2.5F;
  const auto row = driver.state().compare.patch_look.row;
  float y = detail.y + 80.0F;
  const auto shift_click = [&] {
    SetShift(true);
    driver.Click(x, y);
    SetShift(false);
    driver.AnswerPatches();
  };
  while (y < detail.y + 600.0F && driver.state().compare.patch_look.at != 2) {
    y += 14.0F;
    shift_click();
  }
  REQUIRE(driver.state().compare.patch_look.at == 2);
  CHECK(driver.state().compare.patch_look.row == row);
  CHECK(driver.Says("Row 2 alone"));
  CHECK(driver.Tells("in row 2 alone,"));
  driver.app.Do(OpenPopup{Popup::kExport});
  const auto subject = SubjectFor(driver.state(), driver.state().dialogs.exporting);
  REQUIRE(subject.has_value());
  CHECK(subject->effects->at == 2);
  CHECK(subject->effects->caption.find("row 2 alone (“Mary / John”)") != std::string::npos);
  driver.app.Do(ClosePopup);
  shift_click();
  CHECK_FALSE(driver.state().compare.patch_look.at.has_value());
  CHECK(driver.Says("All rows"));
}

TEST_CASE("the menu of rows chooses the row that is taken and the one that is asked",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  driver.app.Do(OpenPopup{Popup::kPatchRows});
  driver.Frames(4);
  CHECK(driver.Says("Taken over of each head"));
  CHECK(driver.Says("The words are asked after"));
  CHECK(driver.Says("1 Mary / John"));
  driver.app.Do(ClosePopup);
  driver.app.Do(PatchPairsOf{"/tmp/names.tsv"});
  driver.Frames(2);
  driver.AnswerPatches();
  CHECK(driver.Says("right, wrong: from names.tsv"));
  driver.app.Do(OpenPopup{Popup::kPatchRows});
  driver.Frames(4);
  CHECK_FALSE(driver.Says("1 Mary / John"));  // every pair has words of its own
}

TEST_CASE("the export of patching is the heads' shares, with texts, words and leads in its caption",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.app.Do(OpenPopup{Popup::kExport});
  CHECK(driver.state().dialogs.exporting.kind->of == FigureOf::kComparison);
  driver.app.Do(ClosePopup);
  driver.Patch();
  driver.app.Do(OpenPopup{Popup::kExport});
  const ExportDraft& draft = driver.state().dialogs.exporting;
  REQUIRE(draft.kind->of == FigureOf::kEffects);
  const auto subject = SubjectFor(driver.state(), draft);
  REQUIRE(subject.has_value());
  REQUIRE(subject->effects != nullptr);
  const EffectMap& map = *subject->effects;
  CHECK(map.shape.count() == 12);
  CHECK(map.values.back() == Approx(0.9));
  for (const char* const said :
       {"a b c", "d e f", "“Mary”", "“John”", "3.000 in A", "-1.000 in B"}) {
    CAPTURE(said);
    CHECK(map.caption.find(said) != std::string::npos);
  }
}

TEST_CASE("patching in a window of 1000 by 700 stays within it", "[ui][patching]") {
  PatchingDriver driver(1000.0F, 700.0F);
  driver.OpenTexts();
  driver.Patch();
  CHECK(driver.Says("Lead of “Mary” over “John” after “to”"));
  CHECK(driver.Says("Largest shares"));
  driver.app.Do(ShowSheet{true});
  driver.Frames(3);
  CHECK(driver.Says("Layers and tokens"));
  const SceneRegion& middle = driver.region(Panel::kMiddle);
  for (const MapPlacement& map : middle.maps) {
    CHECK(map.target.height >= 100.0F);
  }
}

}  // namespace headscope::test
