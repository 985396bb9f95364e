// The tables behind ColormapTable: 256 colours per map, for each theme.
#include <array>

#include "core/figure/color_scale.h"

namespace headscope {
namespace {

#include "core/figure/colormap_tables.inc"

}  // namespace

std::span<const Rgb, kColormapSize> ColormapTable(Colormap colormap, Theme theme) {
  const bool dark = theme == Theme::kDark;
  switch (colormap) {
    case Colormap::kViridis:
      return kViridisTable;
    case Colormap::kCividis:
      return kCividisTable;
    case Colormap::kBlues:
      return dark ? kBluesDarkTable : kBluesLightTable;
    case Colormap::kGreys:
      return dark ? kGreysDarkTable : kGreysLightTable;
    case Colormap::kDiverging:
      return dark ? kDivergingDarkTable : kDivergingLightTable;
  }
  return kViridisTable;
}

}  // namespace headscope
