// core/figure/kinds/layer.cpp
#include "core/figure/map_rows.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

TEST_CASE("A layer is all its heads in order, large", "[figure][layer]") {
  const std::int64_t heads = GENERATE(1, 2, 3, 8, 12, 32);
  FigureSubject subject = KindSubject(5, {4, 0});
  subject.layers = {EvenLayer(4, heads, 5)};
  const auto figure = MakeFigure(FigureOf::kLayer, subject);
  REQUIRE(figure.has_value());
  CHECK((*figure)->page().title == "Layer 4");
  const auto& content = dynamic_cast<const MapRows&>(**figure).content();
  std::int64_t head = 0;
  for (const FigureRow& row : content.rows) {
    CHECK(row.slots == content.rows[0].slots);
    CHECK(std::ssize(row.maps) <= row.slots);
    for (const FigureMap& map : row.maps) {
      CHECK(map.title == HeadName({4, head++}));
      CHECK_FALSE(map.pooled);
    }
  }
  CHECK(head == heads);
}

TEST_CASE("A long text's layer is pooled to what can be drawn", "[figure][layer]") {
  FigureSubject subject = KindSubject(3);
  subject.layers = {EvenLayer(0, 4, 700)};
  const auto figure = MakeFigure(FigureOf::kLayer, subject);
  REQUIRE(figure.has_value());
  const FigureMap& map = dynamic_cast<const MapRows&>(**figure).content().rows[0].maps[0];
  CHECK(map.weights.empty());
  CHECK(map.queries == 700);
  const auto pixels = test::RenderFigure(figure->get());
  REQUIRE(pixels.has_value());
  CHECK(std::max(pixels->width, pixels->height) == 400);
}

TEST_CASE("A layer that is not there is refused", "[figure][layer]") {
  const auto figure = MakeFigure(FigureOf::kLayer, KindSubject(3, {5, 0}));
  REQUIRE_FALSE(figure.has_value());
  CHECK_THAT(figure.error().message, Says("layer 5"));
}

}  // namespace
}  // namespace headscope::test
