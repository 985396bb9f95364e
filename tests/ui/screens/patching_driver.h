// The Compare screen with two texts of one model and made-up shares of patching.
#pragma once

#include "app/state/compare/patching.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/compare/compare_stub.h"
#include "tests/unit/state/compare/patch_stub.h"

namespace headscope::test {

struct PatchingDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  // Two texts of 6 tokens side by side.
  void Open(const ComparedSide& other) {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("compare").kind});
    app.Do(CompareWith{other});
    app.Event(state().compare.request, SidesCompared{StubPair(state())});
    app.Event(state().compare.request, Finished{});
    AnswerMaps();
  }
  void OpenTexts() {
    ComparedSide other;
    other.input.emplace().text = "d e f";
    Open(other);
  }
  void AnswerMaps() {
    while (state().compare.maps.request != 0) {
      app.Event(state().compare.maps.request, PairMapsReady{StubMaps(6)});
      app.Event(state().compare.maps.request, Finished{});
    }
    Frames(3);
  }
  void AnswerPatches() {
    while (const RequestId id = state().compare.patching.request) {
      app.Event(id, TextsPatched{StubAnswer(*app.LastRequest<PatchJob>())});
      app.Event(id, Finished{});
    }
    Frames(3);
  }
  void Patch() {
    PatchLook look = state().compare.patch_look;
    look.is_shown = true;
    app.Do(SetPatchLook{look});
    Frames(2);
    AnswerPatches();
  }
  // In a paragraph, whose words are measured and drawn one by one.
  [[nodiscard]] bool Tells(const std::string& words) {
    std::string all;
    std::string last;
    for (const std::string& label : renderer().labels) {
      if (label != last && label != " ") {
        all += label + " ";
        last = label;
      }
    }
    return all.find(words) != std::string::npos;
  }
  template <typename Edit>
  void Look(const Edit& edit) {
    PatchLook look = state().compare.patch_look;
    edit(look);
    app.Do(SetPatchLook{look});
    Frames(3);
  }
  // Clicks down a column of the middle's upper half until `is_done`.
  template <typename Done>
  bool ClickDown(float x, float step, const Done& is_done) {
    const Rect& middle = region(Panel::kMiddle).rect;
    for (float y = middle.y; y < middle.y + middle.height / 2.0F; y += step) {
      Click(x, y);
      if (is_done()) {
        return true;
      }
    }
    return false;
  }
  // Presses along lines of the toolbar, from its end, until `is_done`.
  template <typename Done>
  bool PressUntil(const Rect& area, float step, const Done& is_done) {
    for (float y = area.y + area.height - 22.0F; y > area.y; y -= 44.0F) {
      for (float x = area.x + area.width - step; x > area.x; x -= step) {
        Click(x, y);
        if (is_done()) {
          return true;
        }
      }
    }
    return false;
  }
};

}  // namespace headscope::test
