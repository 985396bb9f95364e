#include "core/figure/head_color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/check.h"
#include "core/figure/srgb.h"

namespace headscope {
namespace {

constexpr double kMostChroma = 0.17;
constexpr std::int64_t kHuesOfABand = 5;  // more in one lightness look alike
constexpr std::int64_t kMostBands = 4;

std::array<double, 3> LinearOf(double lightness, double chroma, double hue) {
  const double a = chroma * std::cos(hue);
  const double b = chroma * std::sin(hue);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// The most colourful one of that lightness and hue that a screen has.
Rgb ColorOfHue(double lightness, double hue) {
  double chroma = kMostChroma;
  std::array<double, 3> linear = LinearOf(lightness, chroma, hue);
  const auto is_out = [](double x) { return x < 0.0 || x > 1.0; };
  while (std::ranges::any_of(linear, is_out) && chroma > 0.0) {
    chroma -= 0.005;
    linear = LinearOf(lightness, chroma, hue);
  }
  const auto channel = [](double x) {
    return static_cast<std::uint8_t>(std::lround(255.0 * SrgbOfLight(std::clamp(x, 0.0, 1.0))));
  };
  return {channel(linear[0]), channel(linear[1]), channel(linear[2])};
}

// Neighbours are far apart: steps of about the golden part of the circle, which reach every hue.
std::int64_t StepOf(std::int64_t heads) {
  auto step = std::max<std::int64_t>(
      1, std::llround(static_cast<double>(heads) * (2.0 - std::numbers::phi)));
  while (std::gcd(step, heads) != 1) {
    ++step;
  }
  return step;
}

}  // namespace

Rgb ColorOfHead(std::int64_t head, std::int64_t heads, Theme theme) {
  HEADSCOPE_CHECK(head >= 0 && head < heads, "the head is one of the layer's");
  const std::int64_t hue = head * StepOf(heads) % heads;
  const std::int64_t bands =
      std::clamp<std::int64_t>((heads + kHuesOfABand - 1) / kHuesOfABand, 1, kMostBands);
  const double part =
      bands == 1 ? 0.5 : static_cast<double>(hue % bands) / static_cast<double>(bands - 1);
  // Without colours lightness alone tells them apart, as far as it can.
  const double along = heads == 1 ? 0.0 : static_cast<double>(hue) / static_cast<double>(heads - 1);
  const double lightness = theme == Theme::kPrint  ? 0.22 + 0.42 * along
                           : theme == Theme::kDark ? 0.62 + 0.30 * part
                                                   : 0.64 - 0.28 * part;
  return ColorOfHue(lightness,
                    2.0 * std::numbers::pi * static_cast<double>(hue) / static_cast<double>(heads));
}

}  // namespace headscope
