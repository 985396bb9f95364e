// core/figure/kinds/all_heads.cpp
#include "core/figure/map_rows.h"
#include "tests/support/catch.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

TEST_CASE("The grid is every thumbnail, pooled as asked", "[figure][grid]") {
  FigureSubject subject = KindSubject(6);
  subject.layers = {EvenLayer(0, 3, 6, true), EvenLayer(1, 3, 6, true)};
  subject.context.pool = GENERATE(Pool::kMean, Pool::kLargest);
  const auto figure = MakeFigure(FigureOf::kAll, subject);
  REQUIRE(figure.has_value());
  CHECK((*figure)->page().title == "Every head");
  const auto& content = dynamic_cast<const MapRows&>(**figure).content();
  CHECK(content.pool == subject.context.pool);
  REQUIRE(content.rows.size() == 2);
  CHECK(content.column_labels == std::vector<std::string>{"H0", "H1", "H2"});
  CHECK(content.rows[1].label == "L1");
  const FigureMap& map = content.rows[1].maps.at(2);
  CHECK(map.pooled);
  CHECK(map.whole_keys == 6);
  CHECK(map.keys == 3);
}

TEST_CASE("Measured ranges run to the largest weight they cover", "[figure][grid]") {
  FigureSubject subject = KindSubject(3);
  LayerAttention::Content content = subject.layers[0]->content();
  // Row 2 of heads 0 and 1, row 1 of a head in the other layer.
  content.row_inverse_sum = {1.0F, 0.25F, 0.375F, 1.0F, 0.25F, 0.625F, 1.0F, 0.25F, 0.25F};
  subject.layers[0] = std::make_shared<const LayerAttention>(content);
  content.row_inverse_sum[7] = 0.875F;
  subject.layers[1] = std::make_shared<const LayerAttention>(content);
  const auto high = [&](RangeMode mode) {
    subject.context.scale.range = mode;
    const auto figure = MakeFigure(FigureOf::kAll, subject);
    return dynamic_cast<const MapRows&>(**figure).content().rows[0].maps[0].scale.high;
  };
  CHECK(high(RangeMode::kFixed) == 1.0F);
  CHECK(high(RangeMode::kHead) == 0.375F);
  CHECK(high(RangeMode::kLayer) == 0.625F);
  CHECK(high(RangeMode::kGlobal) == 0.875F);
}

}  // namespace
}  // namespace headscope::test
