// Sizes that figures are asked for by name, and by width.
//
// Units    centimetres, pixels, points (72 an inch).
// Errors   empty: the text is no width.
// Threads  constants; plain values.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/figure/figure.h"

namespace headscope {

struct FigurePreset {
  std::string_view id;     // on the command line: "column"
  std::string_view name;   // on screen: "one column"
  double centimetres = 0;  // 0: on a screen
  int pixels = 0;          // of the width
  double points = 0.0;     // of captions and labels; 0: by the size
};
inline constexpr std::array<FigurePreset, 5> kFigurePresets = {{
    {"screen", "screen", 0.0, 1600, 0.0},
    {"slide", "slide", 0.0, 1920, 16.0},
    {"column", "one column", 8.9, 0, 7.0},
    {"two-columns", "two columns", 18.3, 0, 8.0},
    {"poster", "poster", 60.0, 0, 24.0},
}};
// Null: there is none of that id.
[[nodiscard]] const FigurePreset* FindPreset(std::string_view id);

// Pixels for a centimetre of paper, in a picture of pixels as in any other.
inline constexpr double kPrintedPixelsPerInch = 300.0;

// What a figure of that width and type is: "8.9cm", "8.9 cm", "1600px", "1600"; `points` 0: letters by
// the size.
struct FigureWidth {
  int pixels = 0;
  double pixels_per_inch = kPixelsPerInch;
  bool is_on_paper = false;
};
[[nodiscard]] std::optional<FigureWidth> ParseFigureWidth(std::string_view text);
[[nodiscard]] FigureWidth WidthOf(const FigurePreset& preset);

}  // namespace headscope
