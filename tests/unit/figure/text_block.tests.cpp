#include "core/figure/text_block.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

using Lines = TextBlock::Lines;

const std::string kArabic = "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064A\u0643\u0645";
const std::string kHindi = "\u0939\u093F\u0928\u094D\u0926\u0940 \u0915\u094D\u0937\u093F";
const std::string kFontFamily = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";

std::vector<std::size_t> PlacesOf(const std::string& text) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (IsPlace(text, at)) {
      places.push_back(at);
    }
  }
  return places;
}

TEST_CASE("A point on a caret is its place again", "[figure][block]") {
  const std::string text = GENERATE_COPY(std::string("plain words"),
                                         std::string("\u4E2D\u6587\u53E5\u5B50"),
                                         kArabic,
                                         kHindi,
                                         "e\u0301\u0323n " + kFontFamily + "!",
                                         std::string("a\tb\x01\nc"));
  TextBlock block;
  block.Set(text, {}, Lines::kOne);
  for (const std::size_t place : PlacesOf(text)) {
    const PixelBox caret = block.Caret(place);
    CAPTURE(text, place, caret.x);
    CHECK(block.PlaceAt(caret.x, caret.y + caret.height / 2.0) == place);
    CHECK(caret.height > 0.0);
  }
}

TEST_CASE("Left and right are as seen, in both directions", "[figure][block]") {
  TextBlock block;
  block.Set(kArabic, {}, Lines::kOne);
  CHECK(block.right_to_left());
  CHECK(block.Caret(0).x == Approx(block.width()));
  CHECK(block.Caret(kArabic.size()).x == Approx(0.0).margin(0.01));
  CHECK(block.LeftOf(0) == 2);
  CHECK(block.RightOf(2) == 0);
  CHECK(block.RightOf(0) == 0);  // nothing further
  const std::string mixed = "abc " + kArabic + " def";
  block.Set(mixed, {}, Lines::kOne);
  CHECK_FALSE(block.right_to_left());
  double x = block.Caret(0).x;
  std::size_t at = 0;
  std::set<std::size_t> seen = {0};
  for (std::size_t next = block.RightOf(at); next != at; next = block.RightOf(at)) {
    CHECK(block.Caret(next).x >= x);
    x = block.Caret(next).x;
    at = next;
    CHECK(seen.insert(at).second);
  }
  CHECK(at == mixed.size());
  while (block.LeftOf(at) != at) {
    at = block.LeftOf(at);
  }
  CHECK(at == 0);
}

TEST_CASE("A selection over both directions is more than one box", "[figure][block]") {
  TextBlock block;
  block.Set("abc " + kArabic + " def", {}, Lines::kOne);
  const std::vector<PixelBox> boxes = block.Boxes({2, 10});
  CHECK(boxes.size() == 2);
  double width = 0.0;
  for (const PixelBox& box : block.Boxes({0, 8 + kArabic.size()})) {
    width += box.width;
  }
  CHECK(width == Approx(block.width()).margin(1.0));
  CHECK(block.Boxes({3, 3}).empty());
}

TEST_CASE("Lines break where they must and know their ends", "[figure][block]") {
  TextBlock block;
  TextStyle style;
  style.max_width_px = 100.0;
  const std::string text = "one two three four five\n\nlast";
  block.Set(text, style, Lines::kMany);
  CHECK(block.width() <= 100.0);
  CHECK(block.height() >= 4.0 * block.line_height());
  const TextSpan first = block.LineOf(0);
  CHECK(first.begin == 0);
  CHECK(first.end < 23);
  CHECK(block.Caret(first.end).y == block.Caret(0).y);
  CHECK(block.LineOf(24) == TextSpan{24, 24});
  CHECK(block.LineOf(text.size()) == TextSpan{25, text.size()});
  CHECK(block.Caret(text.size()).y > block.Caret(24).y);
  CHECK(block.PlaceAt(1e5, 0.0) == first.end);
  CHECK(block.Boxes({0, text.size()}).size() >= 4);
  block.Set("a\nb", style, Lines::kOne);
  CHECK(block.height() < 1.5 * block.line_height());
  CHECK(block.Caret(3).x > block.Caret(1).x + 10.0);  // the break is seen, as a sign
}

TEST_CASE("What is drawn is where it is measured", "[figure][block]") {
  TextBlock block;
  const std::string text = GENERATE_COPY(std::string("words"), kArabic, kHindi);
  block.Set(text, {}, Lines::kOne);
  const int width = static_cast<int>(std::ceil(block.width()));
  const int height = static_cast<int>(std::ceil(block.height()));
  const auto ink = [&](double x) {
    const TextPicture picture = block.Draw(x, 0.0, width, height, {10, 20, 30});
    std::size_t count = 0;
    for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
      count += picture.rgba[i] > 0 ? 1U : 0U;
    }
    return count;
  };
  CHECK(ink(0.0) > 20);
  CHECK(ink(block.width() + 4.0) == 0);
  CHECK(ink(-2.0 * block.width()) == 0);
  const TextPicture picture = block.Draw(0.0, 0.0, width, height, {10, 20, 30});
  REQUIRE(picture.rgba.size() ==
          static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  for (std::size_t i = 0; i < picture.rgba.size(); i += 4) {
    if (picture.rgba[i + 3] == 255) {
      CHECK(static_cast<int>(picture.rgba[i]) == 10);
      CHECK(static_cast<int>(picture.rgba[i + 2]) == 30);
    }
  }
  CHECK(block.Draw(0.0, 0.0, 0, 10, {}).rgba.empty());
}

TEST_CASE("Nothing still has a caret", "[figure][block]") {
  TextBlock block;
  block.Set("", {}, Lines::kOne);
  CHECK(block.Caret(0).height > 0.0);
  CHECK(block.PlaceAt(50.0, 5.0) == 0);
  CHECK(block.LeftOf(0) == 0);
  CHECK(block.RightOf(0) == 0);
  CHECK(block.LineOf(0) == TextSpan{0, 0});
  CHECK(block.line_height() > block.own_baseline());
}

}  // namespace
}  // namespace headscope
