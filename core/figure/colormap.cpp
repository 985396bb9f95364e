// The tables behind ColormapTable: 256 colours per map, for each theme.
#include <array>

#include "core/figure/color_scale.h"

namespace headscope {
namespace {

#include "colormap_tables.inc"

}  // namespace

std::span<const Rgb, kColormapSize> ColormapTable(Colormap colormap, Theme theme) {
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
