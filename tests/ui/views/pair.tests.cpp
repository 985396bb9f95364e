// Inspect's query and key, dimension by dimension.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/state/inspect/cell_words.h"
#include "core/attention/score_parts.h"
#include "tests/support/catch.h"
#include "tests/support/telling_maps.h"
#include "tests/ui/shown_layer.h"
#include "tests/unit/attention/random_layer.h"

namespace headscope::test {
namespace {

std::shared_ptr<const LayerAttention> ScoredLayer() {
  LayerAttention::Content content =
      Stored({.queries = 6, .keys = 6, .heads = 2, .kv_heads = 2, .head_dim = 4, .value_dim = 4},
             {.scale = 0.5, .causal = true})
          .content();
  content.thumbnails = EvenLayer(0, 2, 6)->content().thumbnails;
  return std::make_shared<const LayerAttention>(std::move(content));
}

TEST_CASE("a pair is taken apart to its weight", "[ui][pair]") {
  PanelDriver driver;
  const auto layer = ScoredLayer();
  ShowLayer(&driver, layer);
  driver.app.Do(PointCell{MapPoint{4, 2}});
  driver.app.Do(ClickCell{MapPoint{4, 2}});
  LookAt(&driver, HeadView::kPair);
  const ScoreParts parts = PartsOfScore({layer, 0}, 4, 2);
  CHECK(driver.Says("“w4” looks at “w2”"));
  CHECK_FALSE(driver.Says("the most of its row"));
  CHECK(driver.Says("sum of 4 products"));
  CHECK(driver.Says(fmt::format("{:.4f}", parts.dot)));
  CHECK(driver.Says("times the scale 0.5"));
  CHECK(driver.Says(fmt::format("{:.4f}", parts.score)));
  CHECK(driver.Says("softmax: divided by"));
  CHECK(driver.Says(WeightText(static_cast<float>(parts.weight))));
}

TEST_CASE("a row alone is told by its largest weight", "[ui][pair]") {
  PanelDriver driver;
  const auto layer = ScoredLayer();
  ShowLayer(&driver, layer);
  driver.app.Do(PointCell{MapPoint{5}});
  LookAt(&driver, HeadView::kPair);
  std::vector<float> row(6);
  layer->Row(0, 5, row);
  const auto most = std::ranges::max_element(row) - row.begin();
  CHECK(driver.Says(fmt::format("“w5” looks at “w{}”, the most of its row", most)));
}

TEST_CASE("a masked pair says so, and weights from a file have no products", "[ui][pair]") {
  PanelDriver driver;
  ShowLayer(&driver, ScoredLayer());
  driver.app.Do(ClickCell{MapPoint{1, 4}});
  LookAt(&driver, HeadView::kPair);
  CHECK(driver.Says("masked: this query does not see this key"));
  ShowLayer(&driver, TellingLayer(1, 6, 6, {}, 128));
  driver.Frames(3);
  CHECK(TellsWords(&driver, "holds its weights only"));
}

TEST_CASE("bars stand in the order of the dimensions, or from the largest product down",
          "[ui][pair]") {
  PanelDriver driver;
  const auto layer = ScoredLayer();
  ShowLayer(&driver, layer);
  driver.app.Do(ClickCell{MapPoint{4, 2}});
  LookAt(&driver, HeadView::kPair);
  const std::vector<double> products = PartsOfScore({layer, 0}, 4, 2).products;
  // Over the first bar from the left of the lowest chart: its tooltip names the dimension.
  const auto first = [&] {
    const Rect& at = driver.memory().products_at;
    driver.MoveTo(at.x + at.width / 8.0F, at.y + at.height / 2.0F);
    driver.Frames(60);
    for (std::size_t dimension = 0; dimension < products.size(); ++dimension) {
      if (TellsWords(&driver, fmt::format("dimension {}:", dimension)) &&
          TellsWords(&driver, fmt::format("= {:.4f}", products[dimension]))) {
        return static_cast<std::int32_t>(dimension);
      }
    }
    return -1;
  };
  CHECK(first() == 0);
  HeadLook look = driver.state().head_look;
  look.is_sorted = true;
  driver.app.Do(SetHeadLook{look});
  CHECK(first() == SortedDimensions(PartsOfScore({layer, 0}, 4, 2)).front());
}

}  // namespace
}  // namespace headscope::test
