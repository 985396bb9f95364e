#include "core/figure/head_color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/figure/theme.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

double Linear(std::uint8_t channel) {
  const double x = channel / 255.0;
  return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
}

double Luminance(Rgb color) {
  return 0.2126 * Linear(color.r) + 0.7152 * Linear(color.g) + 0.0722 * Linear(color.b);
}

double ContrastOf(Rgb a, Rgb b) {
  const double one = Luminance(a) + 0.05;
  const double two = Luminance(b) + 0.05;
  return std::max(one, two) / std::min(one, two);
}

// In OKLab, where 0.02 is about the least that an eye tells apart.
std::array<double, 3> OkLabOf(Rgb color) {
  const double r = Linear(color.r);
  const double g = Linear(color.g);
  const double b = Linear(color.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double OkDistanceOf(Rgb a, Rgb b) {
  const auto one = OkLabOf(a);
  const auto two = OkLabOf(b);
  return std::hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
}

TEST_CASE("No two heads of a layer share a colour, and none is lost on the panel", "[head_color]") {
  const Theme theme = GENERATE(Theme::kDark, Theme::kLight);
  for (const std::int64_t heads : {1, 2, 6, 8, 12, 16, 20, 25, 32, 40, 64, 128}) {
    std::vector<Rgb> colors;
    for (std::int64_t head = 0; head < heads; ++head) {
      colors.push_back(ColorOfHead(head, heads, theme));
      CAPTURE(heads, head);
      CHECK(ContrastOf(colors.back(), ColorsOf(theme).panel) >= 3.0);
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < colors.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        least = std::min(least, OkDistanceOf(colors[a], colors[b]));
      }
    }
    CAPTURE(heads, least);
    CHECK(least > (heads <= 12 ? 0.06 : heads <= 32 ? 0.03 : 0.005));
  }
}

TEST_CASE("Neighbouring heads are far apart", "[head_color]") {
  for (const std::int64_t heads : {8, 12, 16}) {
    for (std::int64_t head = 1; head < heads; ++head) {
      CAPTURE(heads, head);
      CHECK(OkDistanceOf(ColorOfHead(head - 1, heads, Theme::kDark),
                         ColorOfHead(head, heads, Theme::kDark)) > 0.13);
    }
  }
}

}  // namespace
}  // namespace headscope
