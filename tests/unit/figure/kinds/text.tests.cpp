// core/figure/kinds/text.cpp
#include <algorithm>
#include <vector>

#include "core/figure/text_figure.h"
#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

Result<std::unique_ptr<Figure>> MakeTextOf(const FigureSubject& subject) {
  return FindFigureKind(FigureOf::kHead, "text")->make(subject);
}

FigureSubject TextSubject(std::int64_t query, std::int64_t key) {
  FigureSubject subject;
  subject.context = KindContext();
  subject.context.tokens = {"one", "two", "three", "four", "five", "six"};
  subject.context.scale = {.curve = Curve::kLinear};
  subject.context.size_px = 1000;
  subject.layers = {OneWeight(6, 6, query, key)};
  return subject;
}

// The left end of the widest run of the ink in the upper half; -1: there is none.
int ShadedAt(const Pixels& pixels) {
  const Rgb accent = ColorsOf(Theme::kLight).accent;
  int best = -1;
  int longest = 20;
  for (int y = 0; y < pixels.height / 2; ++y) {
    int run = 0;
    for (int x = 0; x < pixels.width; ++x) {
      const bool is_ink = ColorAt(pixels, x, y) == accent;
      run = is_ink ? run + 1 : 0;
      if (run > longest) {
        longest = run;
        best = x - run + 1;
      }
    }
  }
  return best;
}

TEST_CASE("A word shades the one that it looks at", "[figure][text]") {
  FigureSubject subject = TextSubject(3, 1);
  subject.text.words = {3};
  const auto figure = MakeTextOf(subject);
  REQUIRE(figure);
  const auto& content = dynamic_cast<const TextFigure&>(**figure).content();
  CHECK((*figure)->page().title == "L0H0");
  CHECK(content.about == "What “four (3)” looks at; sums to 1.000.");
  CHECK(content.shades.values == std::vector<float>{0, 1, 0, 0, 0, 0});
  CHECK(content.asked == std::vector<std::int64_t>{3});
  const int second = ShadedAt(*RenderFigure(figure->get()));
  REQUIRE(second > 0);
  // By key: word 1 is looked at by word 3, further right.
  subject.text = {.words = {1}, .by_key = true};
  const auto other = MakeTextOf(subject);
  REQUIRE(other);
  CHECK(dynamic_cast<const TextFigure&>(**other).content().about == "Who looks at “two (1)”.");
  CHECK(ShadedAt(*RenderFigure(other->get())) > second + 60);
  // A word that looks nowhere shades nothing.
  subject.text = {.words = {2}};
  CHECK(ShadedAt(*RenderFigure(MakeTextOf(subject)->get())) == -1);
}

TEST_CASE("Without words a text is shaded by the mean of all, and of heads by theirs",
          "[figure][text]") {
  FigureSubject subject = KindSubject(3, {1, 2});
  subject.heads = {0, 1, 2};
  const auto figure = MakeTextOf(subject);
  REQUIRE(figure);
  const auto& content = dynamic_cast<const TextFigure&>(**figure).content();
  CHECK((*figure)->page().title == "Layer 1, 3 heads, their mean");
  CHECK(content.about == "What all 3 words look at (mean); sums to 1.000.");
  // Rows of 1, 1/2 and 1/3 each.
  CHECK(content.shades.values[0] == Approx((1.0 + 0.5 + 1.0 / 3.0) / 3.0));
  CHECK(content.shades.values[2] == Approx(1.0 / 9.0));
  CHECK(RenderFigure(figure->get()));
}

TEST_CASE("A token that the text does not have is refused by its number", "[figure][text]") {
  FigureSubject subject = KindSubject(3, {1, 2});
  subject.text.words = {3};
  const auto figure = MakeTextOf(subject);
  REQUIRE_FALSE(figure);
  CHECK(figure.error().message.find("token 3") != std::string::npos);
}

}  // namespace
}  // namespace headscope::test
