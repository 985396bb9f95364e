// The rank of scores, and the heads that are kept, on Counts.
#include "app/views/screens.h"
#include "core/attention/layer_attention.h"
#include "tests/support/catch.h"
#include "tests/support/cut_layer.h"
#include "tests/ui/screens/tree_driver.h"

namespace headscope::test {
namespace {

// As the worker would answer, with ranks and with heads that write 1, 2, 3, ... at right angles.
SplitResult MeasuredCut() {
  SplitResult split = CutDistinct(6, {.head_counts = {1, 2, 4, 8}});
  for (SplitCount& count : split.counts) {
    auto ranks = RanksOf(*count.attention, {});
    REQUIRE(ranks);
    count.ranks = std::move(*ranks);
    KeptHeads kept{.heads = count.heads, .products = {}};
    kept.products.assign(static_cast<std::size_t>(count.heads * count.heads), 0.0);
    for (std::int64_t head = 0; head < count.heads; ++head) {
      const auto square = static_cast<double>((head + 1) * (head + 1));
      kept.products[static_cast<std::size_t>(head * (count.heads + 1))] = square;
      kept.output_square += square;
    }
    count.kept = std::move(kept);
  }
  split.all_columns = RankOfAllColumns(*split.counts.front().attention);
  return split;
}

struct RankDriver : TreeDriver {
  RankDriver() : TreeDriver(1600.0F, 3000.0F) {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("counts").kind});
    app.Event(state().counts.request,
              SplitReady{std::make_shared<const SplitResult>(MeasuredCut())});
    app.Event(state().counts.request, Finished{});
    AnswerLineage();
    Frames(3);
  }
  // Clicks down the panel at the right until something comes of it.
  template <typename Done>
  bool ClickDownAt(float x, Done done) {
    const Rect& detail = layout().detail;
    for (float y = detail.y + 900.0F; y < detail.y + detail.height; y += 8.0F) {
      if (done()) {
        return true;
      }
      Click(detail.x + x, y);
    }
    return done();
  }
};

}  // namespace

TEST_CASE("Counts tells the rank of the selected head's scores, its bound and what it leaves out",
          "[ui][counts][rank]") {
  RankDriver driver;
  CHECK(driver.Says("Rank: what dₖ bounds"));
  // 6 tokens, 4 columns a head.
  CHECK(driver.Tells("rank 4 of at most 4"));
  CHECK(driver.Tells("n = 6 is above dₖ = 4, a bottleneck"));
  driver.app.Do(SelectCount{8, 3});
  driver.Frames(3);
  CHECK(driver.Tells("rank 2 of at most 2"));
  driver.app.Do(SelectCount{2, 0});
  driver.Frames(3);
  CHECK(driver.Tells("rank 6 of at most 6"));
  CHECK(driver.Tells("n = 6 is not above dₖ = 8"));
  CHECK(driver.Tells("regrouped and not retrained"));
  // A click on the table's rows chooses their counts.
  CHECK(driver.ClickDownAt(60.0F, [&] {
    const auto& chosen = driver.state().counts.chosen;
    return chosen && chosen->heads == 1;
  }));
}

TEST_CASE(
    "a click has a head write 0, and the words tell what the output loses beside other choices",
    "[ui][counts][kept]") {
  RankDriver driver;
  CHECK(driver.Says("Keep only some of the 4 heads"));
  CHECK(driver.Tells("All heads are kept."));
  const std::int64_t heads = driver.state().counts.result->trained_heads;
  REQUIRE(heads == 4);
  // What else a click on the way down chooses is taken back.
  CHECK(driver.ClickDownAt(24.0F, [&] {
    driver.app.Do(SelectCount{4, 0});
    return driver.state().tree.zeroed_of == 4;
  }));
  CHECK(driver.state().tree.zeroed == std::vector<std::int64_t>{0});
  CHECK(driver.state().tree.zeroed_of == 4);
  driver.Frames(2);
  // 1 of 1 + 4 + 9 + 16.
  CHECK(driver.Tells("Without 1 head of 4 the layer's output changes by 18"));
  CHECK(driver.Tells("all 4 choices"));
  driver.app.Do(ZeroHeads{4, {0, 1, 2, 3}});
  driver.Frames(2);
  CHECK(driver.Tells("Only its bias is left."));
  // Another count keeps all of its own.
  driver.app.Do(SelectCount{8, 0});
  driver.Frames(2);
  CHECK(driver.Tells("All heads are kept."));
}

TEST_CASE("the heads that are not kept are taken away in Inspect by a button",
          "[ui][counts][kept]") {
  RankDriver driver;
  driver.app.Do(ZeroHeads{4, {1, 3}});
  driver.Frames(2);
  CHECK(driver.Says("The text's loss, in Inspect"));
  CHECK(driver.ClickDownAt(230.0F, [&] {
    const bool is_there = driver.state().screen->id == "inspect";
    if (!is_there) {
      driver.app.Do(SelectCount{4, 0});
    }
    return is_there;
  }));
  const auto& off = driver.state().heads_off.chosen.heads;
  REQUIRE(off.size() == 2);
  CHECK(off[0].head == 1);
  CHECK(off[1].head == 3);
  CHECK(off[0].layer == driver.state().counts.source->layer());
}

TEST_CASE("rank and kept heads stand in windows of any size", "[ui][counts][rank]") {
  for (const auto& [width, height] : {std::pair(1000.0F, 700.0F), std::pair(260.0F, 200.0F)}) {
    TreeDriver driver(width, height);
    driver.app.ShowSomething(6);
    driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
    driver.app.Do(ShowSheet{true});
    driver.app.Event(driver.state().counts.request,
                     SplitReady{std::make_shared<const SplitResult>(MeasuredCut())});
    driver.app.Event(driver.state().counts.request, Finished{});
    driver.Frames(3);
    driver.Wheel(width * 0.8F, height * 0.8F, -200.0F);
    CHECK(driver.state().screen->id == "counts");
  }
}

}  // namespace headscope::test
