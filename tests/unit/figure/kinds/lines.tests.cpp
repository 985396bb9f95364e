// core/figure/kinds/lines.cpp
#include <algorithm>
#include <vector>

#include "core/figure/head_color.h"
#include "core/figure/lines_figure.h"
#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

const FigureKind& LinesKind() {
  return *FindFigureKind(FigureOf::kHead, "lines");
}

TEST_CASE("Lines of a head say what they leave out", "[figure][lines]") {
  FigureSubject subject = KindSubject(3, {1, 2});
  subject.context.keep.per_row = 1;
  const auto figure = LinesKind().make(subject);
  REQUIRE(figure);
  const auto& content = dynamic_cast<const LinesFigure&>(**figure).content();
  REQUIRE(content.kept.weights.size() == 3);
  CHECK((*figure)->page().title == "L1H2");
  CHECK((*figure)->page().caption.find("from queries at the left to keys at the right") !=
        std::string::npos);
  // Rows of 1, 1/2 and 1/3 each.
  CHECK((*figure)->page().notes.back() ==
        "Largest weights up to 90 % of what each row gives its tokens, 1 of a row at most: 3 lines "
        "hold 61 % of all attention; 39 % in 3 smaller weights is not drawn.");
  CHECK(RenderFigure(figure->get()));
}

// Where the ink stands on a column of pixels, from the top.
std::vector<int> InkAt(const Pixels& pixels, int x, Rgb ink) {
  std::vector<int> rows;
  for (int y = 0; y < BarTop(pixels, Theme::kLight); ++y) {
    if (ColorAt(pixels, x, y) == ink) {
      rows.push_back(y);
    }
  }
  return rows;
}

TEST_CASE("A weight is one line, from its query down to its key", "[figure][lines]") {
  FigureSubject subject;
  subject.context = KindContext();
  subject.context.tokens = {"a", "b", "c", "d", "e", "f"};
  subject.context.scale = {.curve = Curve::kLinear};
  subject.context.size_px = 1000;
  const auto draw = [&](std::int64_t query, std::int64_t key) {
    subject.layers = {OneWeight(6, 6, query, key)};
    const auto figure = LinesKind().make(subject);
    return *RenderFigure(figure->get());
  };
  const Rgb ink = ColorsOf(Theme::kLight).accent;
  const Pixels down = draw(0, 5);
  const Pixels up = draw(5, 0);
  // Middle of the page: both cross there. To the left of it one is high, the other low.
  const int middle = down.width / 2;
  const auto first = [&](const Pixels& pixels, int x) {
    const std::vector<int> rows = InkAt(pixels, x, ink);
    REQUIRE_FALSE(rows.empty());
    CHECK(rows.size() <= 6);
    return rows.front();
  };
  CHECK(std::abs(first(down, middle) - first(up, middle)) <= 3);
  CHECK(first(down, middle - 60) + 15 < first(up, middle - 60));
  CHECK(first(down, middle + 60) > first(up, middle + 60) + 15);
  // One token further down, the whole line is one pitch further down.
  const Pixels level = draw(2, 2);
  const Pixels next = draw(3, 3);
  const int pitch = first(next, middle) - first(level, middle);
  CHECK(pitch >= 18);
  CHECK(first(level, middle - 60) == first(level, middle + 60));
  CHECK(std::abs(first(down, middle) - (first(level, middle) + pitch / 2)) <= 3);
}

TEST_CASE("Several heads have a colour each, and a legend", "[figure][lines]") {
  FigureSubject subject = KindSubject(3, {1, 2});
  subject.heads = {0, 2};
  const auto figure = LinesKind().make(subject);
  REQUIRE(figure);
  CHECK((*figure)->page().title == "Layer 1, 2 heads");
  const auto& content = dynamic_cast<const LinesFigure&>(**figure).content();
  REQUIRE(content.legend.size() == 2);
  CHECK(content.legend[0].name == "L1H0");
  CHECK(content.legend[1].name == "L1H2");
  CHECK(content.legend[0].color == ColorOfHead(0, 3, Theme::kLight));
  CHECK(content.legend[1].color == ColorOfHead(2, 3, Theme::kLight));
  CHECK(content.inks[1].color == content.legend[1].color);
  CHECK(content.kept.weights.size() == 2 * 6);
  CHECK(RenderFigure(figure->get()));
  subject.heads = {3};
  CHECK_FALSE(LinesKind().make(subject));
}

TEST_CASE("A legend of many heads takes as many lines as it needs", "[figure][lines]") {
  FigureSubject subject = KindSubject(3, {0, 0});
  subject.context.size_px = 600;
  subject.layers = {EvenLayer(0, 40, 3)};
  const auto height = [&](std::int64_t heads) {
    subject.heads.clear();
    for (std::int64_t head = 0; head < heads; ++head) {
      subject.heads.push_back(head);
    }
    const auto figure = LinesKind().make(subject);
    TextSetter setter;
    const auto size = (*figure)->Measure(&setter);
    REQUIRE(size);
    return size->width * 1000 / size->height;
  };
  CHECK(height(40) < height(4));
}

TEST_CASE("Lines of a head that is not there are refused by name", "[figure][lines]") {
  const auto figure = LinesKind().make(KindSubject(3, {0, 3}));
  REQUIRE_FALSE(figure);
  CHECK(figure.error().message.find("L0H3") != std::string::npos);
}

}  // namespace
}  // namespace headscope::test
