#include "core/figure/token_arcs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

const std::vector<LineWord> kWords = {{20.0F}, {40.0F}, {10.0F, true}, {30.0F}};
const LineInk kArcInk{.color = {1, 2, 3}, .scale = {.curve = Curve::kLinear}};

TEST_CASE("Words stand in one line, pieces of a word right beside each other", "[token_arcs]") {
  const TextLine line = PlaceWords(kWords, 6.0F, false);
  CHECK(line.middles == std::vector<float>{10.0F, 46.0F, 71.0F, 97.0F});
  CHECK(line.width == 112.0F);
  CHECK_FALSE(line.is_squeezed);
  CHECK(WordAt(line, 27.0F) == 1);
  CHECK(WordAt(line, 67.0F) == 2);
  CHECK(WordAt(line, 500.0F) == 3);
  CHECK(WordAt({}, 5.0F) == -1);
}

TEST_CASE("A text that runs to the left begins at the right", "[token_arcs]") {
  const TextLine line = PlaceWords(kWords, 6.0F, true);
  CHECK(line.middles == std::vector<float>{102.0F, 66.0F, 41.0F, 15.0F});
  CHECK(WordAt(line, 100.0F) == 0);
}

TEST_CASE("A long line is squeezed, and words that would touch are left out but for some",
          "[token_arcs]") {
  const std::vector<LineWord> words(100, LineWord{18.0F});
  CHECK_FALSE(PlaceWords(words, 2.0F, false, 5000.0F).is_squeezed);
  const TextLine line = PlaceWords(words, 2.0F, false, 200.0F);
  CHECK(line.is_squeezed);
  CHECK(line.width == 200.0F);
  CHECK(std::abs(line.middles[99] - line.middles[0] - 99.0F * 20.0F * 200.0F / 1998.0F) < 0.01F);
  const std::array<std::int64_t, 1> wanted = {53};
  const std::vector<bool> shown = WordsWithRoom(line, 2.0F, wanted);
  CHECK(shown[53]);
  CHECK(std::ranges::count(shown, true) >= 7);
  float before = -1000.0F;
  for (std::size_t word = 0; word < shown.size(); ++word) {
    if (shown[word]) {
      CHECK(line.middles[word] - before >= 19.0F);
      before = line.middles[word];
    }
  }
  const TextLine whole = PlaceWords(words, 2.0F, false);
  CHECK(std::ranges::count(WordsWithRoom(whole, 2.0F, wanted), true) == 100);
}

TEST_CASE("Arcs to earlier words rise above the line, to later ones hang below it",
          "[token_arcs]") {
  const TextLine line = PlaceWords(kWords, 6.0F, false);
  const ArcsPlace place{.queries = &line,
                        .keys = &line,
                        .left = 100.0F,
                        .top = 300.0F,
                        .bottom = 320.0F,
                        .rise = 200.0F};
  const Stroke back = ArcOf({.query = 3, .key = 0, .weight = 0.25F}, {&kArcInk, 1}, place);
  CHECK(back.x0 == 197.0F);
  CHECK(back.x1 == 110.0F);
  CHECK(back.y0 == 300.0F);
  CHECK(back.y1 == 300.0F);
  CHECK(back.rise > 30.0F);
  CHECK(back.alpha == 0.25F);
  const Stroke ahead = ArcOf({.query = 0, .key = 3, .weight = 0.25F}, {&kArcInk, 1}, place);
  CHECK(ahead.y0 == 320.0F);
  CHECK(ahead.rise == -back.rise);
  CHECK(ahead.x0 == back.x1);
  const Stroke nearer = ArcOf({.query = 3, .key = 2, .weight = 0.25F}, {&kArcInk, 1}, place);
  CHECK(nearer.rise < back.rise);
  CHECK(nearer.rise > 0.0F);
  const Stroke itself = ArcOf({.query = 1, .key = 1, .weight = 0.25F}, {&kArcInk, 1}, place);
  CHECK(itself.x0 < 146.0F);
  CHECK(itself.x1 > 146.0F);
  CHECK(itself.rise > 0.0F);
}

TEST_CASE("No arc is higher than there is room", "[token_arcs]") {
  const std::vector<LineWord> words(1000, LineWord{30.0F});
  const TextLine line = PlaceWords(words, 5.0F, false);
  const ArcsPlace place{.queries = &line, .keys = &line, .top = 300.0F, .rise = 120.0F};
  float before = 0.0F;
  for (const std::int32_t query : {1, 2, 10, 100, 999}) {
    const Stroke arc = ArcOf({.query = query, .key = 0, .weight = 1.0F}, {&kArcInk, 1}, place);
    CHECK(arc.rise <= 120.0F);
    CHECK(arc.rise >= before);
    before = arc.rise;
  }
}

TEST_CASE("Two texts are two lines with straight lines between them", "[token_arcs]") {
  const TextLine queries = PlaceWords(kWords, 6.0F, false);
  const TextLine keys = PlaceWords(kWords, 6.0F, true);
  const ArcsPlace place{.queries = &queries, .keys = &keys, .top = 30.0F, .bottom = 200.0F};
  const Stroke line = ArcOf({.query = 3, .key = 0, .weight = 1.0F}, {&kArcInk, 1}, place);
  CHECK(line.x0 == 97.0F);
  CHECK(line.y0 == 30.0F);
  CHECK(line.x1 == 102.0F);
  CHECK(line.y1 == 200.0F);
  CHECK(line.rise == 0.0F);
}

TEST_CASE("Arcs that lie beside what is seen are left out, those across it are not",
          "[token_arcs]") {
  const std::vector<LineWord> words(10, LineWord{90.0F});
  const TextLine line = PlaceWords(words, 10.0F, false);
  const ArcsPlace place{.queries = &line, .keys = &line, .rise = 100.0F};
  const std::vector<KeptWeight> weights = {{.query = 1, .key = 0, .weight = 1.0F},
                                           {.query = 9, .key = 0, .weight = 1.0F},
                                           {.query = 5, .key = 4, .weight = 1.0F},
                                           {.query = 9, .key = 8, .weight = 1.0F}};
  const auto arcs = ArcsBetween(weights, {&kArcInk, 1}, place, {400.0F, 0.0F, 200.0F, 100.0F});
  REQUIRE(arcs.size() == 2);
  CHECK(arcs[0].x0 == 945.0F);
  CHECK(arcs[1].x0 == 545.0F);
}

}  // namespace
}  // namespace headscope
