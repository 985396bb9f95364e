#include "core/figure/text_layout.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/support/catch.h"

namespace headscope {
namespace {

int Ink(const TextBitmap& bitmap) {
  return std::accumulate(bitmap.coverage.begin(), bitmap.coverage.end(), 0);
}

TEST_CASE("Any text gives a bitmap of its measured size, with ink", "[figure][text]") {
  TextSetter setter;
  const std::string text = GENERATE("company",
                                    "\u0627\u0644\u0633\u0644\u0627\u0645",
                                    "\u05E9\u05DC\u05D5\u05DD abc",
                                    "\U0001D54F\U00010348",
                                    "\U0001F600",
                                    "\u0939\u093F\u0928\u094D\u0926\u0940",
                                    "a\u0301\u0301\u0301\u0301\u0301\u0301",
                                    "\u202Eabc",
                                    "\n",
                                    "a\nb\tc\r\n",
                                    "\x01\x02\x7F",
                                    "\xFF\xFE\xC3");
  CAPTURE(text);
  TextStyle style;
  style.family = GENERATE(FontFamily::kSans, FontFamily::kMono);
  const TextExtent extent = setter.Measure(text, style);
  const TextBitmap bitmap = setter.Render(text, style);
  CHECK(extent.width > 0.0);
  CHECK(extent.baseline > 0.0);
  CHECK(extent.baseline <= extent.height);
  CHECK(bitmap.width >= extent.width);
  CHECK(bitmap.width < extent.width + 1.0);
  CHECK(bitmap.coverage.size() ==
        static_cast<std::size_t>(bitmap.width) * static_cast<std::size_t>(bitmap.height));
  CHECK(Ink(bitmap) > 0);
}

TEST_CASE("Nothing to set gives nothing", "[figure][text]") {
  TextSetter setter;
  CHECK(setter.Measure("", {}).width == 0.0);
  CHECK(setter.Render("", {}).coverage.empty());
}

TEST_CASE("A line break or a zero byte never makes a second line", "[figure][text]") {
  TextSetter setter;
  const double one = setter.Measure("ab", {}).height;
  CHECK(setter.Measure("a\nb", {}).height < 1.5 * one);
  CHECK(setter.Measure("a\u2028b\u2029c\u0085", {}).height < 1.5 * one);
  const std::string with_zero("a\0b", 3);
  CHECK(setter.Measure(with_zero, {}).width > setter.Measure("ab", {}).width);
}

TEST_CASE("A text is shortened to the width it may have", "[figure][text]") {
  TextSetter setter;
  const std::string text = GENERATE("a rather long token that does not fit anywhere",
                                    "\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064A\u0643"
                                    "\u0645 \u0648\u0631\u062D\u0645\u0629");
  TextStyle style;
  style.max_width_px = 60.0;
  const TextExtent extent = setter.Measure(text, style);
  CHECK(extent.width <= 60.0);
  CHECK(extent.width > 30.0);
  // The ink is inside the bitmap, also where the line runs from right to left.
  const TextBitmap shortened = setter.Render(text, style);
  style.max_width_px = 0.0;
  CHECK(Ink(shortened) > 0);
  CHECK(Ink(shortened) < Ink(setter.Render(text, style)));
}

TEST_CASE("A text of a million letters is bounded", "[figure][text]") {
  TextSetter setter;
  const std::string text(1000000, 'w');
  const TextBitmap bitmap = setter.Render(text, {});
  CHECK(bitmap.width <= 32000);
  CHECK(Ink(bitmap) > 0);
}

TEST_CASE("Sizes are bounded on both sides", "[figure][text]") {
  TextSetter setter;
  TextStyle style;
  style.size_px = GENERATE(-1.0, 0.0, 1e9);
  const TextExtent extent = setter.Measure("abc", style);
  CHECK(extent.width > 0.0);
  CHECK(extent.height < 2000.0);
}

TEST_CASE("Mono letters are equally wide and bold is heavier", "[figure][text]") {
  TextSetter setter;
  TextStyle style;
  style.family = FontFamily::kMono;
  CHECK(setter.Measure("iiii", style).width == Approx(setter.Measure("wwww", style).width));
  style.size_px = 40.0;
  const int regular = Ink(setter.Render("HHHH", style));
  style.bold = true;
  CHECK(Ink(setter.Render("HHHH", style)) > regular);
}

TEST_CASE("Wrapped lines fit and hold every word", "[figure][text]") {
  TextSetter setter;
  const std::string text = "rows are queries, columns are keys; heads count from 0";
  const auto lines = setter.Wrap(text, {}, 120.0);
  CHECK(lines.size() > 2);
  std::string joined;
  for (const std::string& line : lines) {
    CHECK(setter.Measure(line, {}).width <= 121.0);
    joined += joined.empty() ? line : " " + line;
  }
  CHECK(joined == text);
  CHECK(setter.Wrap("", {}, 120.0).size() <= 1);
  CHECK(setter.Wrap(std::string(100, 'x'), {}, 50.0).size() > 1);
}

}  // namespace
}  // namespace headscope
