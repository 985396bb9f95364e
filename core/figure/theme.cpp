#include "core/figure/theme.h"

#include <algorithm>

#include "core/figure/srgb.h"

namespace headscope {
namespace {

constexpr ThemeColors kDark = {.background = RgbOf(0x0E1116),
                               .panel = RgbOf(0x151A21),
                               .raised = RgbOf(0x1D242D),
                               .line = RgbOf(0x29313C),
                               .text = RgbOf(0xE7ECF2),
                               .muted = RgbOf(0x98A4B3),
                               .dim = RgbOf(0x7F8B9B),
                               .accent = RgbOf(0x8CE9FF)};

constexpr ThemeColors kLight = {.background = RgbOf(0xF7F8FA),
                                .panel = RgbOf(0xFFFFFF),
                                .raised = RgbOf(0xEEF1F5),
                                .line = RgbOf(0xD9DEE6),
                                .text = RgbOf(0x1B2230),
                                .muted = RgbOf(0x566174),
                                .dim = RgbOf(0x606D7F),
                                .accent = RgbOf(0x0A6EBD)};

// For paper, also where a printer has no colours.
constexpr ThemeColors kPrint = {.background = RgbOf(0xFFFFFF),
                                .panel = RgbOf(0xFFFFFF),
                                .raised = RgbOf(0xF2F2F2),
                                .line = RgbOf(0xA8A8A8),
                                .text = RgbOf(0x000000),
                                .muted = RgbOf(0x303030),
                                .dim = RgbOf(0x4A4A4A),
                                .accent = RgbOf(0x003A70)};

}  // namespace

const ThemeColors& ColorsOf(Theme theme) {
  switch (theme) {
    case Theme::kDark:
      return kDark;
    case Theme::kPrint:
      return kPrint;
    case Theme::kLight:
      break;
  }
  return kLight;
}

std::string_view NameOfTheme(Theme theme) {
  return theme == Theme::kDark ? "dark" : theme == Theme::kLight ? "light" : "print";
}

double Contrast(Rgb a, Rgb b) {
  const auto luminance = [](Rgb color) {
    const auto linear = [](std::uint8_t channel) { return LightOfSrgb(channel / 255.0); };
    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
  };
  const double la = luminance(a) + 0.05;
  const double lb = luminance(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

Rgb ReadableOn(const ThemeColors& colors, Rgb fill) {
  return Contrast(colors.text, fill) >= Contrast(colors.background, fill) ? colors.text
                                                                          : colors.background;
}

}  // namespace headscope
