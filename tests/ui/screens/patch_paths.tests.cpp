// Direct effects and files of pairs in Compare's Patching, with made-up shares.
#include <algorithm>
#include <string>

#include "app/state/files/export_draft.h"
#include "app/window/exports.h"
#include "tests/ui/screens/patching_driver.h"

namespace headscope::test {
namespace {

void ShowPaths(PatchingDriver* driver) {
  driver->OpenTexts();
  driver->Patch();
  driver->Look([](PatchLook& look) {
    look.paths.is_shown = true;
    look.direction = PatchDirection::kNoise;
  });
  driver->AnswerPatches();
}

}  // namespace

TEST_CASE("direct effects say what they are, and begin with the logits", "[ui][patching]") {
  PatchingDriver driver;
  ShowPaths(&driver);
  CHECK(driver.Says("Direct effect on"));
  CHECK(driver.Tells("the logits"));
  CHECK(driver.Tells("noising"));
  CHECK(driver.Says("MLPs"));
  CHECK(driver.Tells("All 12 at once: +0.75."));
  CHECK(driver.Says("Largest shares"));
  CHECK(driver.Says("L2H3"));
}

TEST_CASE("clicked heads receive, chips take them away, and what is not before them is empty",
          "[ui][patching]") {
  PatchingDriver driver;
  ShowPaths(&driver);
  driver.Look([](PatchLook& look) { look.paths.input = HeadInput::kQueries; });
  CHECK(driver.Tells("Click the heads of the map in whose queries paths are to arrive."));
  const auto& paths = driver.state().compare.patch_look.paths;
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  REQUIRE(driver.ClickDown(middle.x + 90.0F, 8.0F, [&] { return !paths.to.empty(); }));
  CHECK(paths.to == std::vector<HeadIndex>{{1, 0}});  // those of the first layer cannot receive
  driver.AnswerPatches();
  CHECK(driver.Says("L1H0 ×"));
  CHECK(driver.Tells("the queries of L1H0"));
  CHECK(driver.Tells("All 4 at once"));
  CHECK(driver.Says("+0.10"));        // the last of the four senders
  CHECK_FALSE(driver.Says("+0.90"));  // of a head that is not before it
  // Another one that sends nothing receives by a click, too.
  REQUIRE(driver.ClickDown(middle.x + 90.0F, 8.0F, [&] { return paths.to.size() == 2; }));
  CHECK(paths.to.back() == HeadIndex{2, 0});
  driver.AnswerPatches();
  // The chip of the first takes it away.
  bool found = false;
  for (float y = middle.y; y < middle.y + 120.0F && !found; y += 8.0F) {
    for (float x = middle.x + 300.0F; x < middle.x + 700.0F && !found; x += 12.0F) {
      driver.Click(x, y);
      found = paths.to.size() == 1;
    }
  }
  REQUIRE(found);
  CHECK(paths.input.has_value());
}

TEST_CASE("a sender's cell leads to it, and Shift lets paths arrive there", "[ui][patching]") {
  PatchingDriver driver;
  ShowPaths(&driver);
  driver.Look([](PatchLook& look) {
    look.paths.input = HeadInput::kValues;
    look.paths.to = {{2, 1}};
  });
  driver.AnswerPatches();
  const auto& paths = driver.state().compare.patch_look.paths;
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  REQUIRE(driver.ClickDown(middle.x + 90.0F, 8.0F, [&] {
    return driver.state().selection.head == HeadIndex{1, 0};
  }));
  CHECK(paths.to == std::vector<HeadIndex>{{2, 1}});
  SetShift(true);
  REQUIRE(driver.ClickDown(middle.x + 90.0F, 8.0F, [&] { return paths.to.size() == 2; }));
  SetShift(false);
  CHECK(paths.to.front() == HeadIndex{1, 0});
}

TEST_CASE("a file of pairs has errors in cells and list, and its name goes back to the two texts",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  CHECK(driver.Says("Pairs …"));
  driver.app.Do(PatchPairsOf{"/tmp/names.tsv"});
  driver.Frames(3);
  CHECK(driver.Says("Lead of “Mary” over “John”"));  // until there is something of the pairs
  driver.AnswerPatches();
  CHECK(driver.Says("right over wrong, mean of 4 pairs"));
  CHECK(driver.Says("names.tsv"));
  CHECK(driver.Says("+0.90 ± 0.05"));
  CHECK(driver.Tells("these pairs say nothing of other texts"));
  CHECK(driver.Tells("the two texts in view alone"));
  driver.app.Do(OpenPopup{Popup::kExport});
  const auto subject = SubjectFor(driver.state(), driver.state().dialogs.exporting);
  REQUIRE(subject.has_value());
  CHECK(subject->effects->caption.find("4 pairs of names.tsv") != std::string::npos);
  driver.app.Do(ClosePopup);
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  REQUIRE(driver.ClickDown(middle.x + middle.width - 24.0F, 6.0F, [&] {
    return driver.state().compare.patch_look.file.path.empty();
  }));
  driver.AnswerPatches();
  CHECK(driver.Says("Lead of “Mary” over “John”"));
}

TEST_CASE("a bad file of pairs is told in a sentence over the view that was there",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  driver.app.Do(PatchPairsOf{"/tmp/bad.tsv"});
  driver.app.Event(driver.state().compare.patching.request,
                   Failed{{ErrorCode::kFormat, "/tmp/bad.tsv: line 3: expected 4 cells"}});
  driver.Frames(3);
  CHECK(driver.Tells("line 3"));
  CHECK(driver.Says("Lead of “Mary” over “John”"));
  CHECK(driver.Says("+0.90"));
}

TEST_CASE("stopped pairs keep what is there, say so, and wait for a person", "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  driver.app.Do(PatchPairsOf{"/tmp/names.tsv"});
  const RequestId id = driver.state().compare.patching.request;
  driver.app.Event(id, TextsPatched{StubAnswer(*driver.app.LastRequest<PatchJob>(), 3)});
  driver.app.Event(id, Failed{{ErrorCode::kCancelled, "stopped"}});
  driver.Frames(3);
  CHECK(driver.Says("the first 3 of 4 pairs"));
  CHECK(driver.Says("Go on: 3 of 4 pairs are done"));
  CHECK(driver.Says("+0.90 ± 0.05"));
  driver.app.Do(PatchNow);
  driver.Frames(2);
  CHECK_FALSE(driver.Says("Go on: 3 of 4 pairs are done"));
  CHECK(driver.app.LastRequest<PatchJob>()->pairs == "/tmp/names.tsv");
  CHECK(driver.app.LastRequest<PatchJob>()->kept == driver.state().scans_folder);
  driver.AnswerPatches();
  CHECK(driver.Says("right over wrong, mean of 4 pairs"));
}

TEST_CASE("layers and tokens are a figure of their own, and a pair says that it is no match",
          "[ui][patching]") {
  PatchingDriver driver;
  driver.OpenTexts();
  driver.Patch();
  driver.app.Do(OpenPopup{Popup::kExport});
  ExportDraft draft = driver.state().dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kEffects, kPositionsView);
  REQUIRE(IsThere(driver.state(), *draft.kind));
  const auto layers = SubjectFor(driver.state(), draft);
  REQUIRE(layers.has_value());
  CHECK(layers->effects->title == "Patching: stream");
  CHECK(layers->effects->columns.at(1) == "Mary / John");
  CHECK(layers->effects->values.size() == 18);
  draft.kind = FindFigureKind(FigureOf::kPair);
  const auto noted = [&] {
    const auto pair = SubjectFor(driver.state(), draft);
    REQUIRE(pair.has_value());
    return std::ranges::any_of(pair->comparison->notes, [](const std::string& note) {
      return note.find("Taken from Patching") != std::string::npos;
    });
  };
  CHECK(noted());
  driver.Look([](PatchLook& look) { look.is_shown = false; });
  CHECK_FALSE(noted());
  draft.kind = FindFigureKind(FigureOf::kEffects, kPositionsView);
  CHECK_FALSE(IsThere(driver.state(), *draft.kind));
}

TEST_CASE("a head's page leads to patching, and MLPs have a map of their own", "[ui][patching]") {
  PatchingDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("compare").kind});
  driver.app.Do(PatchHead{{1, 2}});
  driver.Frames(3);
  CHECK(driver.Tells("To patch heads and layers, the second text is missing"));
  driver.OpenTexts();
  driver.AnswerPatches();
  CHECK(driver.state().selection.head == HeadIndex{1, 2});
  CHECK(driver.Tells("L1H2: +0.40 of the difference"));
  driver.app.Do(PatchMlps);
  driver.Frames(3);
  driver.AnswerPatches();
  CHECK(driver.app.LastRequest<PatchJob>()->what == PatchWhat::kMlp);
  CHECK(driver.Tells("what a layer's MLP adds at one token"));
}

TEST_CASE("a path without a second text says which one is missing", "[ui][patching]") {
  PatchingDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("compare").kind});
  driver.app.Do(PatchPath{{0, 3}, {{2, 1}, HeadInput::kKeys}});
  driver.Frames(3);
  CHECK(driver.Tells("the second text is missing"));
  driver.OpenTexts();
  driver.AnswerPatches();
  CHECK(driver.Tells("the keys of L2H1"));
  CHECK_FALSE(driver.Tells("the second text is missing"));
}

}  // namespace headscope::test
