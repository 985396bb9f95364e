// From a weight to a colour: curve, range and colour map. The screen and the figures both take
// colours from here.
//
// Units    weights in [0,1]; t in [0,1] along the map; colours 8 bits a channel, sRGB.
// Threads  plain functions.
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
enum class Theme { kDark, kLight };

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct ColorScale {
  Curve curve = Curve::kSqrt;
  RangeMode range = RangeMode::kFixed;
  float low = 0.0F;  // the range in force: fixed, or what the mode measured
  float high = 1.0F;
  Colormap colormap = Colormap::kViridis;
  friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

inline constexpr float kLogFloor = 1e-6F;  // log floors here, and says so
inline constexpr int kColormapSize = 256;

[[nodiscard]] std::string_view Name(Curve curve);     // "linear", "sqrt", "log"
[[nodiscard]] std::string_view Name(RangeMode mode);  // "fixed", "row", "head", "layer", "global"
[[nodiscard]] std::string_view Name(Colormap colormap);  // "viridis", ...
[[nodiscard]] std::optional<Curve> ParseCurve(std::string_view text);
[[nodiscard]] std::optional<Colormap> ParseColormap(std::string_view text);
// "0:0.5", "row", "head", "layer", "global"; false, and `scale` untouched, for anything else.
[[nodiscard]] bool ParseRange(std::string_view text, ColorScale* scale);

// The 256 colours of a map, from low to high. Greys and blues run light to dark on a light theme
// and dark to light on a dark one.
[[nodiscard]] std::span<const Rgb, kColormapSize> ColormapTable(Colormap colormap, Theme theme);

// The colour of masked cells: not on any map, the same everywhere.
[[nodiscard]] Rgb MaskedColor(Theme theme);

// Position along the map: curve over [low, high], clamped to [0,1].
[[nodiscard]] float Position(const ColorScale& scale, float weight);
// Index round(t * 255) of ColormapTable. Negative weights (kMasked) give MaskedColor.
[[nodiscard]] Rgb ColorOf(const ColorScale& scale, Theme theme, float weight);

// The scale one row is drawn with: its own 0 to largest if the range is per row, else `scale`.
[[nodiscard]] ColorScale ScaleOfRow(const ColorScale& scale, std::span<const float> row);

// The scale with the range that its mode measures: from 0 to `largest`, the largest weight of the
// rows that see two keys or more (a row that sees one key gives it 1, in every head alike). Where
// that is 0 there is no such row, and the range is 0 to 1, fixed. A fixed range, and one per row,
// stay as they are.
[[nodiscard]] ColorScale MeasuredScale(const ColorScale& scale, float largest);

// "square root, 0 to 1", for the bar on screen and in exports; says the floor of log and where the
// range came from.
[[nodiscard]] std::string Describe(const ColorScale& scale);

}  // namespace headscope
