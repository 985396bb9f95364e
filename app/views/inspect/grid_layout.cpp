#include "app/views/inspect/grid_layout.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

constexpr float kNames = 24.0F;       // of heads, above
constexpr float kLayerNames = 40.0F;  // at the left
constexpr float kCellGap = 5.0F;
constexpr float kCellName = 15.0F;
constexpr float kCellRole = 18.0F;    // a bar and a word
constexpr float kCellRoleBar = 5.0F;  // where there is no room for the word
constexpr float kMargin = 4.0F;
constexpr float kPad = 12.0F;
constexpr float kLeastCell = 44.0F;
constexpr float kMostCell = 232.0F;
constexpr float kMostStretch = 1.2F;  // width to height, to fill the window

}  // namespace

Rect GridLayout::Cell(HeadIndex head, float scroll_x, float scroll_y) const {
  return {view.x + margin + static_cast<float>(head.head) * (cell_width + gap) - scroll_x,
          view.y + margin + name_height +
              static_cast<float>(head.layer) * (cell_height + name_height + role_height + gap) -
              scroll_y,
          cell_width,
          cell_height};
}

Rect GridLayout::Whole(HeadIndex head, float scroll_x, float scroll_y) const {
  Rect whole = Cell(head, scroll_x, scroll_y);
  whole.y -= name_height;
  whole.height += name_height + role_height;
  return whole;
}

bool GridLayout::Shows(const Rect& cell) const {
  return cell.x + cell.width > cells.x && cell.x < cells.x + cells.width &&
         cell.y + cell.height > cells.y && cell.y < cells.y + cells.height;
}

std::optional<HeadIndex> GridLayout::At(float x, float y, float scroll_x, float scroll_y) const {
  const float column = (x - view.x - margin + scroll_x) / (cell_width + gap);
  const float row =
      (y - view.y - margin + scroll_y) / (cell_height + name_height + role_height + gap);
  const HeadIndex head{static_cast<std::int64_t>(std::floor(row)),
                       static_cast<std::int64_t>(std::floor(column)),
                       part};
  if (head.layer < 0 || head.head < 0 || head.layer >= layers || head.head >= heads) {
    return std::nullopt;
  }
  return head;
}

namespace {

// Fits cells of so many layers and heads.
GridLayout LayOut(const GridRequest& request) {
  const auto px = [&request](float unscaled) { return std::round(unscaled * request.scale); };
  const Rect& area = request.area;
  const std::int64_t layers = request.layers;
  const std::int64_t heads = request.heads;
  const float aspect = std::clamp(request.aspect, 0.5F, 2.0F);
  const float names = request.in_lines ? kPad : kNames;
  const float layer_names = request.in_lines ? kPad : kLayerNames;
  GridLayout grid;
  grid.layers = layers;
  grid.heads = heads;
  grid.part = request.part;
  grid.name_height = request.in_lines ? px(kCellName) : 0.0F;
  grid.gap = px(kCellGap);
  grid.margin = px(kMargin);
  grid.view = {area.x + px(layer_names),
               area.y + px(names),
               area.width - px(layer_names) - px(kPad),
               area.height - px(names) - px(kPad)};
  if (layers <= 0 || heads <= 0) {
    return grid;
  }
  const auto fit = [&](float space, std::int64_t count, float name) {
    const auto n = static_cast<float>(count);
    return std::floor((space - 2.0F * grid.margin - (n - 1.0F) * grid.gap) / n) - name;
  };
  // A bar takes its room from the cells of the other direction.
  const bool heads_scroll = fit(grid.view.width, heads, 0.0F) < px(kLeastCell);
  // A sheet over the maps lets them scroll across as well.
  const float shown = request.visible.x + request.visible.width - grid.view.x;
  const bool is_covered = shown < grid.view.width;
  const float tall = grid.view.height - (heads_scroll || is_covered ? request.bar : 0.0F);
  const bool has_words = fit(tall, layers, grid.name_height + px(kCellRole)) >= px(kLeastCell);
  grid.role_height = px(has_words ? kCellRole : kCellRoleBar);
  const bool layers_scroll =
      fit(tall, layers, grid.name_height + grid.role_height) < px(kLeastCell);
  const float wide = grid.view.width - (layers_scroll ? request.bar : 0.0F);
  float width = std::clamp(fit(wide, heads, 0.0F), px(kLeastCell), px(kMostCell));
  float height = std::clamp(
      fit(tall, layers, grid.name_height + grid.role_height), px(kLeastCell), px(kMostCell));
  if (layers_scroll) {
    // Cells of the maps' shape, as wide as the heads allow.
    height = std::max(px(kLeastCell), std::floor(width / aspect));
  }
  width = std::min(width, std::floor(height * aspect * kMostStretch));
  height = std::min(height, std::floor(width / aspect * kMostStretch));
  grid.cell_width = width;
  grid.cell_height = height;
  const auto extent = [&](float cell, std::int64_t count) {
    const auto n = static_cast<float>(count);
    return 2.0F * grid.margin + n * cell + (n - 1.0F) * grid.gap;
  };
  grid.content_width = extent(width, heads);
  grid.content_height = extent(height + grid.name_height + grid.role_height, layers);
  grid.view.width = std::min(grid.view.width, shown);
  grid.cells = grid.view;
  const bool has_right = grid.content_height > grid.view.height;
  const bool has_bottom = grid.content_width > grid.view.width - (has_right ? request.bar : 0.0F);
  grid.cells.height -= has_bottom ? request.bar : 0.0F;
  grid.cells.width -= grid.content_height > grid.cells.height ? request.bar : 0.0F;
  return grid;
}

// The largest cells that all stand in sight; else as many beside each other as have room.
GridLayout LayOutLines(GridRequest request) {
  const std::int64_t count = request.heads;
  GridLayout best;
  for (std::int64_t columns = 1; columns <= std::max<std::int64_t>(1, count); ++columns) {
    request.heads = columns;
    request.layers = (count + columns - 1) / columns;
    const GridLayout grid = LayOut(request);
    const bool is_wide = grid.content_width > grid.cells.width;
    const bool is_whole = grid.content_height <= grid.cells.height;
    const bool was_whole = best.heads > 0 && best.content_height <= best.cells.height;
    if (is_wide && best.heads > 0) {
      break;
    }
    const float size = grid.cell_width * grid.cell_height;
    const bool is_larger = size > best.cell_width * best.cell_height;
    if (best.heads == 0 || (is_whole && (!was_whole || is_larger)) || (!is_whole && !was_whole)) {
      best = grid;
    }
  }
  return best;
}

}  // namespace

GridLayout LayOutGrid(const GridRequest& request) {
  return request.in_lines && request.heads > 0 ? LayOutLines(request) : LayOut(request);
}

}  // namespace headscope
