// core/figure/kinds/compared_heads.cpp
#include <algorithm>
#include <cmath>

#include "core/figure/map_pair.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

FigureSubject PairSubject(const std::shared_ptr<const LayerAttention>& a,
                          const std::shared_ptr<const LayerAttention>& b) {
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.context.model = "A: probe, gpt2. B: other, gpt2";
  subject.context.scale.curve = Curve::kLinear;
  subject.context.size_px = 900;
  subject.comparison = SwappedHeads();
  subject.beside = BesideOf(a, b);
  return subject;
}

std::shared_ptr<const LayerAttention> WholeRows(std::int64_t tokens) {
  return MakeEven({.id = {}, .queries = tokens, .keys = tokens, .causal = false});
}

std::int64_t CountOf(const Pixels& pixels, Rgb color) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < pixels.rgb.size(); at += 3) {
    count += Rgb{pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]} == color ? 1 : 0;
  }
  return count;
}

TEST_CASE("Two heads say of which models they are, how far apart, and how they were paired",
          "[figure][comparison]") {
  FigureSubject subject = PairSubject(EvenLayer(0, 1, 4), WholeRows(4));
  const auto figure = MakeFigure(FigureOf::kPair, subject);
  REQUIRE(figure.has_value());
  const FigurePage& page = (*figure)->page();
  CHECK(page.title == "L0H0 of probe (A) and L0H0 of other (B)");
  CHECK(page.caption ==
        "A: probe, gpt2. B: other, gpt2. Text: “a text”, 3 tokens. Rows are queries, columns are "
        "keys; heads and layers count from 0.");
  REQUIRE(page.notes.size() == 2);
  CHECK_THAT(page.notes[0], Says("Divergence: 0.1") && Says("over 3 rows"));
  CHECK(page.notes[1] == "A has 3 heads in a layer and B 2.");
  const auto& titles = dynamic_cast<const MapPair&>(**figure).content().titles;
  CHECK(titles[0] == "A  L0H0  probe");
  CHECK(titles[1] == "B  L0H0  other");
  auto by_hand = std::make_shared<HeadsBeside>(*subject.beside);
  by_hand->by_hand = true;
  subject.beside = by_hand;
  CHECK_THAT(MakeFigure(FigureOf::kPair, subject).value()->page().notes[0],
             Says("Paired by hand."));
}

TEST_CASE("Two heads and their difference are drawn cell by cell in exact colours",
          "[figure][comparison]") {
  const FigureSubject subject = PairSubject(EvenLayer(0, 1, 4), WholeRows(4));
  const auto drawn = test::RenderFigure(MakeFigure(FigureOf::kPair, subject)->get());
  REQUIRE(drawn.has_value());
  const ColorScale scale{.curve = Curve::kLinear};
  const auto of_weight = [&](float weight) {
    return CountOf(*drawn, ColorOf(scale, Theme::kLight, weight));
  };
  // Row 2 of A alone has thirds; a column of the bar may have the colour, too.
  const std::int64_t third = of_weight(1.0F / 3.0F);
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(third) / 3.0));
  CHECK(side > 20);
  CHECK(third - 3 * side * side < 2 * side);
  // A quarter: the last row of A, and all of B.
  CHECK(of_weight(0.25F) >= 20 * side * side);
  CHECK(of_weight(0.25F) < 21 * side * side);
  // B - A: +0.25 where A is masked, -0.75 in the first cell; the last row is the same in both.
  const auto apart = [&](float difference) {
    const auto table = ColormapTable(Colormap::kDiverging, Theme::kLight);
    const float at = 0.5F + 0.5F * difference;
    return CountOf(*drawn, table[static_cast<std::size_t>(std::lround(at * 255.0F))]);
  };
  CHECK(apart(0.25F) >= 6 * side * side);
  CHECK(apart(0.25F) < 7 * side * side);
  CHECK(apart(-0.75F) >= side * side);
  CHECK(apart(-0.75F) < 2 * side * side);
  // A has six masked cells, and B none.
  CHECK(CountOf(*drawn, MaskedColor(Theme::kLight)) >= 6 * side * side);
  CHECK(CountOf(*drawn, MaskedColor(Theme::kLight)) < 7 * side * side);
}

TEST_CASE("Two heads that are alike differ nowhere", "[figure][comparison]") {
  const FigureSubject subject = PairSubject(EvenLayer(0, 1, 5), EvenLayer(0, 1, 5));
  const auto figure = MakeFigure(FigureOf::kPair, subject);
  REQUIRE(figure.has_value());
  CHECK_THAT((*figure)->page().notes[0], Says("Divergence: 0 nats"));
  const auto drawn = test::RenderFigure(figure->get());
  REQUIRE(drawn.has_value());
  const auto table = ColormapTable(Colormap::kDiverging, Theme::kLight);
  // Of the bar alone.
  const std::int64_t most = static_cast<std::int64_t>(drawn->width) * 10;
  CHECK(CountOf(*drawn, table[0]) < most);
  CHECK(CountOf(*drawn, table[255]) < most);
  CHECK(CountOf(*drawn, table[128]) > most);
}

TEST_CASE("A pair that is not there is refused", "[figure][comparison]") {
  FigureSubject subject = PairSubject(EvenLayer(0, 1, 4), WholeRows(4));
  auto beyond = std::make_shared<HeadsBeside>(*subject.beside);
  beyond->b = 1;
  subject.beside = beyond;
  CHECK(MakeFigure(FigureOf::kPair, subject).error().code == ErrorCode::kInput);
  beyond->b = 0;
  beyond->layer = 3;
  CHECK(MakeFigure(FigureOf::kPair, subject).error().code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope::test
