#include "app/views/heads/layout.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

// Unscaled pixels.
constexpr float kMetricsWidth = 284.0F;
constexpr float kLeastBeside = 600.0F;  // in less the metrics stand above the rest
constexpr float kLeastScatter = 170.0F;
constexpr float kRowName = 40.0F;
constexpr float kColumnName = 24.0F;
constexpr float kScaleBar = 64.0F;
constexpr float kEdge = 14.0F;
constexpr float kMostWidth = 84.0F;
constexpr float kMostHeight = 56.0F;
constexpr float kSmallestCell = 9.0F;

}  // namespace

HeadsLayout LayOutHeads(const Rect& area, HeadsView view, std::int64_t layers, float scale) {
  HeadsLayout layout;
  Rect rest = area;
  if (view == HeadsView::kRelations) {
    layout.relations = area;
    return layout;
  }
  if (area.width < kLeastBeside * scale) {
    const float height = std::round(area.height * 0.36F);
    layout.metrics = {area.x, area.y, area.width, height};
    rest.y += height;
    rest.height -= height;
  } else {
    const float width = std::min(kMetricsWidth * scale, area.width * 0.45F);
    layout.metrics = {area.x, area.y, width, area.height};
    rest.x += width;
    rest.width -= width;
  }
  if (view != HeadsView::kMap) {
    (view == HeadsView::kList      ? layout.list
     : view == HeadsView::kScatter ? layout.scatter
                                   : layout.series) = rest;
    return layout;
  }
  // The map takes what its cells can fill, the scatter the rest.
  const float filled = (kEdge * 0.5F + kColumnName + kScaleBar) * scale +
                       static_cast<float>(layers) * kMostHeight * scale;
  const float below = std::round(std::max(rest.height * 0.36F, rest.height - filled));
  if (below >= kLeastScatter * scale) {
    layout.scatter = {rest.x, rest.y + rest.height - below, rest.width, below};
    rest.height -= below;
  }
  layout.map = rest;
  return layout;
}

HeadsGrid LayOutHeadsGrid(const Rect& area, std::int64_t layers, std::int64_t heads, float scale) {
  HeadsGrid grid{.area = area, .layers = layers, .heads = heads};
  grid.left = (kEdge + kRowName) * scale;
  grid.top = (kEdge * 0.5F + kColumnName) * scale;
  grid.bar_height = kScaleBar * scale;
  const float across = area.width - grid.left - kEdge * scale;
  const float down = area.height - grid.top - grid.bar_height;
  const auto fit = [scale](float room, std::int64_t count, float most) {
    const float each = count > 0 ? room / static_cast<float>(count) : room;
    return std::floor(std::clamp(each, kSmallestCell * scale, most * scale));
  };
  grid.cell_width = fit(across, heads, kMostWidth);
  grid.cell_height = fit(down, layers, kMostHeight);
  grid.gap = std::max(1.0F, std::round(std::min(grid.cell_width, grid.cell_height) * 0.06F));
  return grid;
}

Rect HeadsGrid::Cell(std::int64_t layer, std::int64_t head, float sx, float sy) const {
  return {area.x + left + static_cast<float>(head) * cell_width - sx,
          area.y + top + static_cast<float>(layer) * cell_height - sy,
          cell_width - gap,
          cell_height - gap};
}

std::optional<HeadIndex> HeadsGrid::At(float x, float y, float sx, float sy) const {
  const float column = (x - area.x - left + sx) / cell_width;
  const float row = (y - area.y - top + sy) / cell_height;
  if (column < 0.0F || row < 0.0F || column >= static_cast<float>(heads) ||
      row >= static_cast<float>(layers)) {
    return std::nullopt;
  }
  return HeadIndex{static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)};
}

float HeadsGrid::content_width() const {
  return left + static_cast<float>(heads) * cell_width;
}

float HeadsGrid::content_height() const {
  return top + static_cast<float>(layers) * cell_height;
}

}  // namespace headscope
