// The tables behind ColormapTable: 256 colours a map, for each theme.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/figure/color_scale.h"
#include "core/figure/theme.h"

namespace headscope {
namespace {

using Table = std::array<Rgb, kColormapSize>;

template <std::size_t kStops>
Table Ramp(const std::array<std::uint32_t, kStops>& stops) {
  Table table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double at = static_cast<double>(i) * static_cast<double>(kStops - 1) /
                      static_cast<double>(kColormapSize - 1);
    const std::size_t stop = std::min(static_cast<std::size_t>(at), kStops - 2);
    const double part = at - static_cast<double>(stop);
    const Rgb a = RgbOf(stops[stop]);
    const Rgb b = RgbOf(stops[stop + 1]);
    const auto mix = [part](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
    };
    table[i] = {.r = mix(a.r, b.r), .g = mix(a.g, b.g), .b = mix(a.b, b.b)};
  }
  return table;
}

Table Reversed(Table table) {
  std::reverse(table.begin(), table.end());
  return table;
}

}  // namespace

std::span<const Rgb, kColormapSize> ColormapTable(Colormap colormap, Theme theme) {
  static const Table viridis = Ramp(std::array<std::uint32_t, 9>{
      0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C, 0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725});
  static const Table cividis =
      Ramp(std::array<std::uint32_t, 5>{0x00224E, 0x434E6C, 0x7D7C78, 0xBCAE6C, 0xFEE838});
  static const Table blues =
      Ramp(std::array<std::uint32_t, 5>{0xF4F8FC, 0xC3DBEE, 0x7DB2D8, 0x3579B1, 0x0B2F5E});
  static const Table blues_dark = Reversed(blues);
  static const Table greys = Ramp(std::array<std::uint32_t, 2>{0xFAFAFA, 0x101010});
  static const Table greys_dark = Reversed(greys);
  static const Table diverging =
      Ramp(std::array<std::uint32_t, 5>{0x1F4E9E, 0x7FB0DA, 0xFFFFFF, 0xEE9C7B, 0xA31621});
  static const Table diverging_dark =
      Ramp(std::array<std::uint32_t, 5>{0x9CCBF5, 0x3A72B0, 0x151A21, 0xB5533A, 0xFFB69B});
  const bool dark = theme == Theme::kDark;
  switch (colormap) {
    case Colormap::kViridis:
      return viridis;
    case Colormap::kCividis:
      return cividis;
    case Colormap::kBlues:
      return dark ? blues_dark : blues;
    case Colormap::kGreys:
      return dark ? greys_dark : greys;
    case Colormap::kDiverging:
      return dark ? diverging_dark : diverging;
  }
  return viridis;
}

}  // namespace headscope
