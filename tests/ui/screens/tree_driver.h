// The Counts screen with a worker that answers at once.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "app/state/counts/head_tree.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/support/cut_layer.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {

struct TreeDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void ShowTree(SplitRequest request = {.head_counts = {1, 2, 4, 8}}) {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("counts").kind});
    AnswerCut(std::move(request));
  }
  void AnswerCut(SplitRequest request) {
    app.Event(state().counts.request,
              SplitReady{std::make_shared<const SplitResult>(CutDistinct(6, request))});
    app.Event(state().counts.request, Finished{});
    AnswerLineage();
    Frames(3);
  }
  // Each head lies 0.01 further from its parent than the one before; head 1 furthest of all.
  void AnswerLineage() {
    const auto& wanted = state().tree.wanted;
    if (!wanted) {
      return;
    }
    LineageReady ready;
    for (std::size_t child = 0; child < wanted->parent_of.size(); ++child) {
      ready.children.push_back({.divergence = child == 1 ? 0.5 : 0.01 * static_cast<double>(child),
                                .own = 0.75,
                                .other = 0.25,
                                .query = 3,
                                .key = 2});
    }
    ready.sums.resize(static_cast<std::size_t>(wanted->parents->shape().heads),
                      DotCheck{.largest = 3e-7, .relative = 2e-8, .cells = 21});
    const RequestId id = state().tree.request;
    app.Event(id, ready);
    app.Event(id, Finished{});
  }
  // Maps in the middle come row by row.
  [[nodiscard]] const Rect& Map(std::size_t index) const {
    return region(Panel::kMiddle).maps.at(index).target;
  }
  static float MiddleOf(const Rect& rect) { return rect.x + rect.width / 2.0F; }
  // Words of a paragraph, which are labels of their own: measured some times, then drawn.
  [[nodiscard]] bool Tells(const std::string& words) {
    std::string all;
    std::string before;
    for (const std::string& label : renderer().labels) {
      all += label == before ? std::string() : label + " ";
      before = label;
    }
    return all.find(words) != std::string::npos;
  }
};

}  // namespace headscope::test
