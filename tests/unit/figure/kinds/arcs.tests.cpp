// core/figure/kinds/arcs.cpp
#include <algorithm>
#include <vector>

#include "core/figure/arcs_figure.h"
#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

Result<std::unique_ptr<Figure>> MakeArcsOf(const FigureSubject& subject) {
  return FindFigureKind(FigureOf::kHead, "arcs")->make(subject);
}

FigureSubject ArcSubject(std::int64_t query, std::int64_t key) {
  FigureSubject subject;
  subject.context = KindContext();
  subject.context.tokens = {"one", "two", "three", "four", "five", "six"};
  subject.context.scale = {.curve = Curve::kLinear};
  subject.context.size_px = 1000;
  subject.layers = {OneWeight(6, 6, query, key)};
  return subject;
}

// Where the ink stands.
struct InkBox {
  int left = 100000;
  int right = -1;
  int top = 100000;
  int bottom = -1;
};
InkBox InkOf(const Pixels& pixels) {
  InkBox ink;
  const Rgb accent = ColorsOf(Theme::kLight).accent;
  for (int y = 0; y < BarTop(pixels, Theme::kLight); ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (ColorAt(pixels, x, y) == accent) {
        ink.left = std::min(ink.left, x);
        ink.right = std::max(ink.right, x);
        ink.top = std::min(ink.top, y);
        ink.bottom = std::max(ink.bottom, y);
      }
    }
  }
  return ink;
}

Pixels DrawArc(std::int64_t query, std::int64_t key) {
  const auto figure = MakeArcsOf(ArcSubject(query, key));
  return *RenderFigure(figure->get());
}

TEST_CASE("Arcs of a head say what they leave out", "[figure][arcs]") {
  const auto figure = MakeArcsOf(KindSubject(3, {1, 2}));
  REQUIRE(figure);
  CHECK((*figure)->page().title == "L1H2");
  CHECK((*figure)->page().caption.find("Arcs above the line lead from a query") !=
        std::string::npos);
  CHECK((*figure)->page().notes.back().find("up to 90 %") != std::string::npos);
  CHECK(RenderFigure(figure->get()));
}

TEST_CASE("A longer arc is wider and higher, and starts at its own words", "[figure][arcs]") {
  const InkBox whole = InkOf(DrawArc(5, 0));
  const InkBox near = InkOf(DrawArc(3, 2));
  const InkBox first = InkOf(DrawArc(1, 0));
  CHECK(whole.right - whole.left > 140);
  CHECK(near.right - near.left < 80);
  CHECK(whole.bottom - whole.top > near.bottom - near.top + 30);
  // Words 0 and 1 are at the left of 2 and 3, both within the arc from end to end.
  CHECK(std::abs(first.left - whole.left) <= 2);
  CHECK(first.right < near.left + 3);
  CHECK(near.right < whole.right - 40);
}

TEST_CASE("A right-to-left text has its first word at the right", "[figure][arcs]") {
  FigureSubject subject = ArcSubject(1, 0);
  subject.context.tokens = {"שלום", "לכל", "מי", "שקורא", "את", "זה"};
  const auto figure = MakeArcsOf(subject);
  const InkBox ink = InkOf(*RenderFigure(figure->get()));
  FigureSubject last = ArcSubject(5, 4);
  last.context.tokens = subject.context.tokens;
  const auto other = MakeArcsOf(last);
  CHECK(ink.left > InkOf(*RenderFigure(other->get())).right);
}

TEST_CASE("Two texts are two lines", "[figure][arcs]") {
  FigureSubject subject = ArcSubject(0, 5);
  subject.context.key_tokens = subject.context.tokens;
  const auto figure = MakeArcsOf(subject);
  REQUIRE(figure);
  CHECK_FALSE(dynamic_cast<const ArcsFigure&>(**figure).content().is_one_text);
  CHECK((*figure)->page().caption.find("queries above to keys below") != std::string::npos);
  const InkBox ink = InkOf(*RenderFigure(figure->get()));
  CHECK(ink.right - ink.left > 140);
  CHECK(ink.bottom - ink.top > 200);
}

TEST_CASE("A text that is longer than its line is drawn within it", "[figure][arcs]") {
  FigureSubject subject = ArcSubject(0, 0);
  subject.layers = {EvenLayer(0, 1, 400)};
  subject.context.tokens = std::vector<std::string>(400, "word");
  const auto figure = MakeArcsOf(subject);
  REQUIRE(figure);
  CHECK(RenderFigure(figure->get()));
  CHECK(dynamic_cast<const ArcsFigure&>(**figure).content().kept.beyond > 0);
}

}  // namespace
}  // namespace headscope::test
