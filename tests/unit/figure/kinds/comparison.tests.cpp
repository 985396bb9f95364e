// core/figure/kinds/comparison.cpp
#include <algorithm>

#include "core/figure/comparison_words.h"
#include "core/figure/token_map.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

TEST_CASE("A comparison is a row a layer, with partners in the cells", "[figure][comparison]") {
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.comparison = SwappedHeads();
  const auto figure = MakeFigure(FigureOf::kComparison, subject);
  REQUIRE(figure.has_value());
  const auto& content = dynamic_cast<const TokenMap&>(**figure).content();
  CHECK(content.map.queries == 2);
  CHECK(content.map.keys == 3);
  CHECK(content.map.weights == std::vector<float>{0.125F, 0.25F, -1.0F, 0.125F, 0.25F, -1.0F});
  CHECK(content.query_tokens == std::vector<std::string>{"L0  0.1875", "L1  0.1875"});
  CHECK(content.key_tokens == std::vector<std::string>{"H0", "H1", "H2"});
  REQUIRE(content.map.marks.size() == 4);
  CHECK(content.map.marks[0].text == "H1");
  CHECK(content.map.marks[3].row == 1);
  CHECK(content.map.marks[3].col == 1);
  CHECK(content.map.marks[3].text == "H0");
  const FigurePage& page = (*figure)->page();
  CHECK(page.masked_word == "no partner");
  CHECK(page.title == "How far heads lie apart: probe (A) and other (B)");
  REQUIRE(page.notes.size() == 4);
  CHECK(page.notes[0] == "Furthest apart: L0H1 of A and L0H0 of B, 0.2500.");
  CHECK(page.notes[1].find("nats, mean over 2 rows") != std::string::npos);
  CHECK(page.notes[2] == "A has 3 heads in a layer and B 2.");
}

TEST_CASE("Divergences have the digits and the colours that they need", "[figure][comparison]") {
  CHECK(ShortDivergence(0.0) == "0");
  CHECK(ShortDivergence(0.6931) == "0.6931");
  CHECK(ShortDivergence(0.00423) == "0.00423");
  CHECK(ShortDivergence(0.000042) == "4.2e-5");
  CHECK(TightDivergence(0.6931) == "0.69");
  CHECK(TightDivergence(0.0042) == "0.0042");
  CHECK(TightDivergence(0.00042) == "4e-4");

  FigureSubject subject{{}, {}, nullptr, KindContext()};
  auto small = std::make_shared<Comparison>(*SwappedHeads());
  for (LayerComparison& layer : small->layers) {
    for (double& divergence : layer.divergences) {
      divergence /= 1000.0;
    }
    for (HeadPair& pair : layer.pairs) {
      pair.divergence = *pair.divergence / 1000.0;
    }
  }
  subject.comparison = small;
  subject.context.scale.range = RangeMode::kGlobal;
  const auto measured = MakeFigure(FigureOf::kComparison, subject);
  REQUIRE(measured.has_value());
  const TokenMapContent& content = dynamic_cast<const TokenMap&>(**measured).content();
  CHECK(content.map.scale.high == Approx(0.00025));
  CHECK(content.query_tokens[0] == "L0  0.000188");
  CHECK((*measured)->page().notes.back() ==
        "Colours run from 0 to 0.000250 nats, the largest divergence shown.");

  subject.context.scale.range = RangeMode::kFixed;
  subject.context.scale.high = 0.5F;
  const auto asked = MakeFigure(FigureOf::kComparison, subject);
  REQUIRE(asked.has_value());
  CHECK(dynamic_cast<const TokenMap&>(**asked).content().map.scale.high == 0.5F);
  CHECK((*asked)->page().notes.back() == "Colours run from 0 to 0.5000 nats, as asked for.");
}

TEST_CASE("A partner is written in its cell, in ink that stands out", "[figure][comparison]") {
  FigureSubject subject{{}, {}, nullptr, KindContext()};
  subject.comparison = SwappedHeads();
  subject.context.size_px = 800;
  const auto drawn = test::RenderFigure(MakeFigure(FigureOf::kComparison, subject)->get());
  auto unmarked = std::make_shared<Comparison>(*subject.comparison);
  for (LayerComparison& layer : unmarked->layers) {
    layer.pairs[0].b = 100;  // another text
  }
  subject.comparison = unmarked;
  const auto other = test::RenderFigure(MakeFigure(FigureOf::kComparison, subject)->get());
  REQUIRE(drawn.has_value());
  REQUIRE(other.has_value());
  CHECK(drawn->width == other->width);
  CHECK(drawn->rgb != other->rgb);
}

}  // namespace
}  // namespace headscope::test
