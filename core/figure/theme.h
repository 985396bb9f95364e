// The colours of everything that is not a map, on screen and in figures.
//
// Units    8 bits a channel, sRGB.
// Source   docs/screens.md, "Colours".
#pragma once

#include <string_view>

#include "core/figure/color_scale.h"

namespace headscope {

struct ThemeColors {
  Rgb background;
  Rgb panel;
  Rgb raised;
  Rgb line;
  Rgb text;
  Rgb muted;
  Rgb dim;
  Rgb accent;
};

[[nodiscard]] const ThemeColors& ColorsOf(Theme theme);
[[nodiscard]] std::string_view NameOfTheme(Theme theme);  // "dark", "light", "print"

// By WCAG 2, from 1 to 21.
[[nodiscard]] double Contrast(Rgb a, Rgb b);
// Text or background, whichever reads better on `fill`.
[[nodiscard]] Rgb ReadableOn(const ThemeColors& colors, Rgb fill);

// Converts 0x56B4E9, for example.
[[nodiscard]] constexpr Rgb RgbOf(std::uint32_t packed) {
  return {.r = static_cast<std::uint8_t>((packed >> 16U) & 0xFFU),
          .g = static_cast<std::uint8_t>((packed >> 8U) & 0xFFU),
          .b = static_cast<std::uint8_t>(packed & 0xFFU)};
}

}  // namespace headscope
