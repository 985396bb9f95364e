// The tables behind ColormapTable: 256 colours per map, for each theme.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/figure/color_scale.h"

namespace headscope {
namespace {

#include "colormap_tables.inc"

using ColorTable = std::array<Rgb, kColormapSize>;

// More weight, more ink.
ColorTable Reversed(ColorTable table) {
  std::reverse(table.begin(), table.end());
  return table;
}

// From dark blue over grey to a light orange: which side of 0 a cell lies on is told by lightness
// alone.
ColorTable DivergingInPrint() {
  constexpr std::array<std::array<double, 3>, 3> kEnds = {
      {{0.0, 40.0, 95.0}, {150.0, 150.0, 150.0}, {255.0, 226.0, 178.0}}};
  ColorTable table = {};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double at = 2.0 * static_cast<double>(i) / static_cast<double>(kColormapSize - 1);
    const std::size_t from = at < 1.0 ? 0 : 1;
    const double part = at - static_cast<double>(from);
    const auto mix = [&](std::size_t channel) {
      const double low = kEnds.at(from).at(channel);
      const double high = kEnds.at(from + 1).at(channel);
      return static_cast<std::uint8_t>(std::lround(low + part * (high - low)));
    };
    table.at(i) = {mix(0), mix(1), mix(2)};
  }
  return table;
}

std::span<const Rgb, kColormapSize> PrintTable(Colormap colormap) {
  static const ColorTable kViridisInPrint = Reversed(k_viridis);
  static const ColorTable kCividisInPrint = Reversed(k_cividis);
  static const ColorTable kDivergingInPrint = DivergingInPrint();
  switch (colormap) {
    case Colormap::kViridis:
      break;
    case Colormap::kCividis:
      return kCividisInPrint;
    case Colormap::kBlues:
      return k_blues_light;
    case Colormap::kGreys:
      return k_greys_light;
    case Colormap::kDiverging:
      return kDivergingInPrint;
  }
  return kViridisInPrint;
}

}  // namespace

std::span<const Rgb, kColormapSize> ColormapTable(Colormap colormap, Theme theme) {
  if (theme == Theme::kPrint) {
    return PrintTable(colormap);
  }
  const bool dark = theme == Theme::kDark;
  switch (colormap) {
    case Colormap::kViridis:
      return k_viridis;
    case Colormap::kCividis:
      return k_cividis;
    case Colormap::kBlues:
      return dark ? k_blues_dark : k_blues_light;
    case Colormap::kGreys:
      return dark ? k_greys_dark : k_greys_light;
    case Colormap::kDiverging:
      return dark ? k_diverging_dark : k_diverging_light;
  }
  return k_viridis;
}

}  // namespace headscope
