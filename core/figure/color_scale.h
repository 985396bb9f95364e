// Turns a weight into a colour: curve, range and colour map, for the screen and the figures alike.
//
// Units    weights in [0,1]; t in [0,1] along the map; colours 8 bits a channel, sRGB.
// Source   viridis and cividis: CC0; blues and greys: our own ramps, even in lightness. Diverging
//          map: our own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

enum class Curve { kLinear, kSqrt, kLog };
enum class RangeMode { kFixed, kRow, kHead, kLayer, kGlobal };
enum class Colormap { kViridis, kCividis, kBlues, kGreys, kDiverging };
// Print is of figures alone: a white ground, black text, maps whose lightness goes one way, so that they
// can be read without colours.
enum class Theme { kDark, kLight, kPrint };

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct ColorScale {
  Curve curve = Curve::kSqrt;
  RangeMode range = RangeMode::kFixed;
  float low = 0.0F;  // the range in force: fixed, or measured according to `range`
  float high = 1.0F;
  Colormap colormap = Colormap::kViridis;
  friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

inline constexpr float kLogFloor =
    1e-6F;  // smaller weights get this value's colour, and Describe says so
inline constexpr int kColormapSize = 256;

[[nodiscard]] std::string_view Name(Curve curve);     // "linear", "sqrt", "log"
[[nodiscard]] std::string_view Name(RangeMode mode);  // "fixed", "row", "head", "layer", "global"
[[nodiscard]] std::string_view Name(Colormap colormap);  // "viridis", ...
[[nodiscard]] std::optional<Curve> ParseCurve(std::string_view text);
[[nodiscard]] std::optional<Colormap> ParseColormap(std::string_view text);
// Accepts "0:0.5", "row", "head", "layer", "global"; for anything else returns false and leaves
// `scale` alone.
[[nodiscard]] bool ParseRange(std::string_view text, ColorScale* scale);

// The 256 colours of a map, from low to high. Greys and blues run light to dark on a light theme
// and dark to light on a dark one.
[[nodiscard]] std::span<const Rgb, kColormapSize> ColormapTable(Colormap colormap, Theme theme);

// The bar of what is drawn in one colour, as opaque as the weight is high: from the ground to the ink.
[[nodiscard]] std::array<Rgb, kColormapSize> InkTable(Rgb ground, Rgb ink);

// The colour of masked cells: not on any map, the same everywhere.
[[nodiscard]] Rgb MaskedColor(Theme theme);

// Returns the position along the map: curve over [low, high], clamped to [0,1].
[[nodiscard]] float Position(const ColorScale& scale, float weight);
// Uses index round(t * 255) of ColormapTable. Negative weights (kMasked) give MaskedColor.
[[nodiscard]] Rgb ColorOf(const ColorScale& scale, Theme theme, float weight);

// Returns the scale for one row: from 0 to the row's largest weight if the range is per row,
// otherwise `scale`.
[[nodiscard]] ColorScale ScaleOfRow(const ColorScale& scale, std::span<const float> row);

// Returns the scale with its measured range: from 0 to `largest`, the largest weight of the rows
// that see two keys or more (a row that sees one key gives it weight 1 in every head). If `largest`
// is 0, there is no such row, and the range is fixed to 0 to 1. A fixed range and a per-row range
// stay as they are.
[[nodiscard]] ColorScale MeasuredScale(const ColorScale& scale, float largest);

// Returns "linear", "square root" or "logarithm".
[[nodiscard]] std::string_view CurveWords(Curve curve);
// Returns "0.41", "1", "1e-6": at most so many digits that count.
[[nodiscard]] std::string ShortNumber(double value, int digits);
// Returns "square root, 0 to 1", for the bar on screen and in exports, with log's floor and the
// origin of the range.
[[nodiscard]] std::string Describe(const ColorScale& scale);

}  // namespace headscope
