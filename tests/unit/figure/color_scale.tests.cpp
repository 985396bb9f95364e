#include "core/figure/color_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/figure/theme.h"
#include "core/heads/flags/role.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("The curve bends the range, which is clamped", "[figure][color]") {
  ColorScale scale;
  CHECK(Position(scale, 0.0F) == 0.0F);
  CHECK(Position(scale, 0.25F) == 0.5F);
  CHECK(Position(scale, 1.0F) == 1.0F);
  scale.curve = Curve::kLinear;
  scale.low = 0.2F;
  scale.high = 0.6F;
  CHECK(Position(scale, 0.4F) == Approx(0.5));
  CHECK(Position(scale, 0.1F) == 0.0F);
  CHECK(Position(scale, 0.9F) == 1.0F);
  scale.curve = Curve::kLog;
  scale.low = 0.0F;
  scale.high = 1.0F;
  CHECK(Position(scale, 0.0F) == 0.0F);
  CHECK(Position(scale, 1e-3F) == Approx(0.5));
  CHECK(Position(scale, 1.0F) == 1.0F);
}

TEST_CASE("A range of no width is two colours, never not-a-number", "[figure][color]") {
  ColorScale scale;
  scale.curve = GENERATE(Curve::kLinear, Curve::kSqrt, Curve::kLog);
  scale.low = scale.high = GENERATE(0.0F, 0.5F);
  const float below = Position(scale, 0.0F);
  CHECK((below == 0.0F || below == 1.0F));
  CHECK(Position(scale, 0.7F) == 1.0F);
}

TEST_CASE("The position never falls as the weight rises", "[figure][color]") {
  ColorScale scale;
  scale.curve = GENERATE(Curve::kLinear, Curve::kSqrt, Curve::kLog);
  scale.low = GENERATE(0.0F, 0.1F);
  scale.high = GENERATE(0.3F, 1.0F);
  float last = 0.0F;
  for (int i = 0; i <= 1000; ++i) {
    const float now = Position(scale, static_cast<float>(i) / 1000.0F);
    CHECK(now >= last);
    CHECK(now <= 1.0F);
    last = now;
  }
}

TEST_CASE("A weight's colour is the table's entry", "[figure][color]") {
  ColorScale scale;
  scale.colormap = GENERATE(Colormap::kViridis,
                            Colormap::kCividis,
                            Colormap::kBlues,
                            Colormap::kGreys,
                            Colormap::kDiverging);
  const Theme theme = GENERATE(Theme::kDark, Theme::kLight);
  const auto table = ColormapTable(scale.colormap, theme);
  CHECK(ColorOf(scale, theme, 0.0F) == table.front());
  CHECK(ColorOf(scale, theme, 1.0F) == table.back());
  CHECK(ColorOf(scale, theme, 0.25F) == table[128]);
  CHECK(ColorOf(scale, theme, -1.0F) == MaskedColor(theme));
  CHECK(ColorOf(scale, theme, std::numeric_limits<float>::quiet_NaN()) == MaskedColor(theme));
  // What is masked cannot be taken for a weight.
  CHECK(std::find(table.begin(), table.end(), MaskedColor(theme)) == table.end());
}

double Lightness(Rgb color) {
  const auto linear = [](std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
  return y > 0.008856 ? 116.0 * std::cbrt(y) - 16.0 : 903.3 * y;
}

TEST_CASE("Lightness runs one way along the maps for weights", "[figure][color]") {
  const Colormap colormap =
      GENERATE(Colormap::kViridis, Colormap::kCividis, Colormap::kBlues, Colormap::kGreys);
  const Theme theme = GENERATE(Theme::kDark, Theme::kLight);
  const auto table = ColormapTable(colormap, theme);
  const double sign = Lightness(table.back()) > Lightness(table.front()) ? 1.0 : -1.0;
  if (colormap == Colormap::kBlues || colormap == Colormap::kGreys) {
    CHECK((theme == Theme::kDark) == (sign > 0.0));
  }
  for (std::size_t i = 16; i < table.size(); i += 16) {
    CHECK(sign * (Lightness(table[i]) - Lightness(table[i - 16])) > 0.0);
  }
}

struct Lab {
  double l = 0.0;
  double a = 0.0;
  double b = 0.0;
};

// CIELAB under D65.
Lab LabOf(Rgb color) {
  const auto linear = [](std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double r = linear(color.r);
  const double g = linear(color.g);
  const double b = linear(color.b);
  const auto curved = [](double t) {
    return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116.0;
  };
  const double x = curved((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = curved(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = curved((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)};
}

double Apart(Rgb one, Rgb two) {
  const Lab a = LabOf(one);
  const Lab b = LabOf(two);
  return std::hypot(a.l - b.l, a.a - b.a, a.b - b.b);
}

constexpr double kPlainlyApart = 20.0;  // CIELAB; 2 is what an eye sees side by side

TEST_CASE("Roles and the accent are told from each other and from the window's ground",
          "[figure][color]") {
  const Theme theme = GENERATE(Theme::kDark, Theme::kLight);
  const ThemeColors& colors = ColorsOf(theme);
  for (const Role& role : kRoles) {
    INFO(role.id);
    for (const Rgb ground : {colors.background, colors.panel, colors.raised}) {
      CHECK(Apart(RgbOf(role.rgb), ground) > kPlainlyApart);
    }
    CHECK(Apart(RgbOf(role.rgb), colors.accent) > kPlainlyApart);
    for (const Role& other : kRoles) {
      INFO(other.id);
      CHECK((role.id == other.id || Apart(RgbOf(role.rgb), RgbOf(other.rgb)) > kPlainlyApart));
    }
  }
}

TEST_CASE("On a dark window no colour of a map is near its ground or what is masked",
          "[figure][color]") {
  const Colormap colormap = GENERATE(Colormap::kViridis, Colormap::kCividis, Colormap::kBlues);
  const ThemeColors& colors = ColorsOf(Theme::kDark);
  for (const Rgb color : ColormapTable(colormap, Theme::kDark)) {
    CHECK(Apart(color, colors.background) > kPlainlyApart);
    CHECK(Apart(color, colors.panel) > kPlainlyApart);
    CHECK(Apart(color, MaskedColor(Theme::kDark)) > kPlainlyApart);
  }
}

TEST_CASE("Names are read back", "[figure][color]") {
  for (const Curve curve : {Curve::kLinear, Curve::kSqrt, Curve::kLog}) {
    CHECK(ParseCurve(Name(curve)) == std::optional(curve));
  }
  for (const Colormap map : {Colormap::kViridis,
                             Colormap::kCividis,
                             Colormap::kBlues,
                             Colormap::kGreys,
                             Colormap::kDiverging}) {
    CHECK(ParseColormap(Name(map)) == std::optional(map));
  }
  CHECK_FALSE(ParseCurve("Log").has_value());
  CHECK_FALSE(ParseColormap("jet").has_value());
}

TEST_CASE("Ranges are read, and wrong ones leave the scale alone", "[figure][color]") {
  ColorScale scale;
  REQUIRE(ParseRange("0.1:0.5", &scale));
  CHECK(scale.low == 0.1F);
  CHECK(scale.high == 0.5F);
  REQUIRE(ParseRange("layer", &scale));
  CHECK(scale.range == RangeMode::kLayer);
  const ColorScale before = scale;
  for (const std::string_view wrong :
       {"", ":", "0.5", "0.5:0.1", "0:0", "-1:1", "0:inf", "nan:1", "fixed", "0:1x", "a:b"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ParseRange(wrong, &scale));
    CHECK(scale == before);
  }
}

TEST_CASE("A range per row is measured on the row", "[figure][color]") {
  ColorScale scale;
  const std::vector<float> row = {0.1F, 0.4F, -1.0F};
  CHECK(ScaleOfRow(scale, row) == scale);
  scale.range = RangeMode::kRow;
  CHECK(ScaleOfRow(scale, row).high == 0.4F);
  CHECK(ScaleOfRow(scale, row).low == 0.0F);
}

TEST_CASE("A measured range ends at what was measured, or is 0 to 1 where nothing was",
          "[figure][color]") {
  const RangeMode mode = GENERATE(RangeMode::kHead, RangeMode::kLayer, RangeMode::kGlobal);
  const ColorScale asked{.curve = Curve::kLog, .range = mode, .low = 0.2F, .high = 0.3F};
  const ColorScale measured = MeasuredScale(asked, 0.41F);
  CHECK(measured.range == mode);
  CHECK(measured.low == 0.0F);
  CHECK(measured.high == 0.41F);
  CHECK(measured.curve == Curve::kLog);
  const ColorScale unmeasured = MeasuredScale(asked, 0.0F);
  CHECK(Describe(unmeasured) == "logarithm, floored at 1e-6, 0 to 1");
  for (const RangeMode given : {RangeMode::kFixed, RangeMode::kRow}) {
    const ColorScale own{.range = given, .low = 0.1F, .high = 0.6F};
    CHECK(MeasuredScale(own, 0.41F) == own);
  }
}

TEST_CASE("The words beside the bar say the curve, the range and where it came from",
          "[figure][color]") {
  ColorScale scale;
  CHECK(Describe(scale) == "square root, 0 to 1");
  scale.curve = Curve::kLog;
  CHECK(Describe(scale) == "logarithm, floored at 1e-6, 0 to 1");
  scale.curve = Curve::kLinear;
  scale.range = RangeMode::kHead;
  scale.high = 0.41F;
  CHECK(Describe(scale) ==
        "linear, 0 to 0.41, the largest of this head's rows that see two keys or more");
  scale.range = RangeMode::kRow;
  CHECK(Describe(scale) == "linear, 0 to the largest of each row");
}

double ContrastByHand(Rgb a, Rgb b) {
  const auto luminance = [](Rgb color) {
    const double l = Lightness(color);
    return l > 8.0 ? std::pow((l + 16.0) / 116.0, 3.0) : l / 903.3;
  };
  const double one = luminance(a) + 0.05;
  const double two = luminance(b) + 0.05;
  return one > two ? one / two : two / one;
}

TEST_CASE("Every text strength can be read on its panels", "[figure][theme]") {
  const ThemeColors& colors = ColorsOf(GENERATE(Theme::kDark, Theme::kLight));
  for (const Rgb text : {colors.text, colors.muted, colors.dim, colors.accent}) {
    CHECK(ContrastByHand(text, colors.background) >= 4.5);
    CHECK(ContrastByHand(text, colors.panel) >= 4.5);
  }
}

}  // namespace
}  // namespace headscope
