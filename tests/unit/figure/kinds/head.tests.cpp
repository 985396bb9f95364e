// core/figure/kinds/head.cpp
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
