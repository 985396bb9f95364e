// core/figure/kinds/head.cpp
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/figure/sink_column.h"
#include "core/figure/token_map.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

TEST_CASE("One head is its whole map with tokens, masked cells and its flag", "[figure][head]") {
  FigureSubject subject = KindSubject(3, {1, 2});
  subject.context.flags = {{.layer = 1, .head = 2, .role = "induction", .colour = "", .note = ""}};
  const auto figure = MakeFigure(FigureOf::kHead, subject);
  REQUIRE(figure.has_value());
  const auto& content = dynamic_cast<const TokenMap&>(**figure).content();
  CHECK((*figure)->page().title == "L1H2");
  CHECK(content.map.title == "L1H2");
  CHECK(DrawnWeights(content.map) ==
        std::vector<float>{
            1.0F, -1.0F, -1.0F, 0.5F, 0.5F, -1.0F, 1.0F / 3.0F, 1.0F / 3.0F, 1.0F / 3.0F});
  CHECK(content.map.flag_rgb == 0xE69F00);
  CHECK(content.map.flag_role == "induction");
  CHECK(content.query_tokens == subject.context.tokens);
  CHECK(content.key_tokens == subject.context.tokens);
  CHECK(
      (*figure)->page().caption ==
      "probe, gpt2, 2 layers \u00d7 3 heads, d 6, d_k 2. Text: \u201ca text\u201d, 3 tokens. Rows "
      "are queries, columns are keys; heads and layers count from 0.");
  CHECK(test::RenderFigure(figure->get()).has_value());
}

TEST_CASE("A map is drawn as if it were held whole", "[figure][head]") {
  FigureSubject subject = KindSubject(3);
  subject.layers = {EvenLayer(0, 1, 2100)};
  const auto drawn = MakeFigure(FigureOf::kHead, subject);
  REQUIRE(drawn.has_value());
  const auto& content = dynamic_cast<const TokenMap&>(**drawn).content();
  CHECK(content.map.weights.empty());
  TokenMapContent held = content;
  held.map.weights.resize(std::size_t{2100} * 2100);
  held.map.view.DrawableRows(0, 2100, held.map.weights);
  held.map.view = {};
  TokenMap whole((*drawn)->page(), held);
  const auto pixels = test::RenderFigure(drawn->get());
  REQUIRE(pixels.has_value());
  CHECK(pixels->rgb == test::RenderFigure(&whole)->rgb);
}

TEST_CASE("What a head's sink takes stands beside the map, in its colours", "[figure][head]") {
  FigureSubject subject = KindSubject(3);
  subject.layers = {
      MakeEven({.id = {ModelPart::kWhole, 0}, .queries = 3, .keys = 3, .sink = true})};
  subject.context.scale = {.curve = Curve::kLinear};
  const auto figure = MakeFigure(FigureOf::kHead, subject);
  REQUIRE(figure.has_value());
  const auto& content = dynamic_cast<const TokenMap&>(**figure).content();
  const SinkColumn column = SinkColumnOf(content.map.view, content.map.scale);
  REQUIRE(column.values.size() == 3);
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(std::abs(column.values[row] - 1.0F / static_cast<float>(row + 2)) < 1e-6F);
  }
  // Each row's own range: the sink takes as much as its largest weight.
  const SinkColumn by_row =
      SinkColumnOf(content.map.view, {.curve = Curve::kSqrt, .range = RangeMode::kRow});
  CHECK(by_row.scale == ColorScale{.curve = Curve::kLinear});
  for (const float position : by_row.values) {
    CHECK(std::abs(position - 1.0F) < 1e-6F);
  }
  const auto drawn = test::RenderFigure(figure->get());
  REQUIRE(drawn.has_value());
  // The rightmost cells are the column: 1/2, 1/3 and 1/4. The map's last column has only 1/4.
  std::vector<Rgb> column_colours;
  for (const float weight : column.values) {
    column_colours.push_back(ColorOf(column.scale, Theme::kLight, weight));
  }
  const auto at = [&](int x, int y) {
    const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(drawn->width) +
                        static_cast<std::size_t>(x));
    return Rgb{drawn->rgb[i], drawn->rgb[i + 1], drawn->rgb[i + 2]};
  };
  std::vector<Rgb> seen;
  for (int x = drawn->width - 1; x >= 0 && seen.empty(); --x) {
    for (int y = 0; y < drawn->height; ++y) {
      const Rgb here = at(x, y);
      if (std::ranges::find(column_colours, here) != column_colours.end() &&
          (seen.empty() || !(seen.back() == here))) {
        seen.push_back(here);
      }
    }
  }
  CHECK(seen == column_colours);
}

TEST_CASE("A head that is not there is refused by name", "[figure][head]") {
  for (const HeadIndex head : {HeadIndex{2, 0}, HeadIndex{0, 3}, HeadIndex{0, -1}}) {
    const auto figure = MakeFigure(FigureOf::kHead, KindSubject(3, head));
    REQUIRE_FALSE(figure.has_value());
    CHECK(figure.error().code == ErrorCode::kInput);
    CHECK(figure.error().message.find(HeadName(head)) != std::string::npos);
  }
}

TEST_CASE("A text of one token has no row to measure: 0 to 1", "[figure][head]") {
  FigureSubject subject = KindSubject(1);
  subject.context.scale.range = GENERATE(RangeMode::kHead, RangeMode::kLayer, RangeMode::kGlobal);
  const auto figure = MakeFigure(FigureOf::kHead, subject);
  REQUIRE(figure.has_value());
  const auto& content = dynamic_cast<const TokenMap&>(**figure).content();
  CHECK(Describe(content.map.scale) == "square root, 0 to 1");
}

}  // namespace
}  // namespace headscope::test
