#include "app/views/maps/map_geometry.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace headscope {

double MapGeometry::KeyX(std::int64_t key) const {
  return static_cast<double>(target.x) + (static_cast<double>(key) - first_key) * cell_width();
}

double MapGeometry::QueryY(std::int64_t query) const {
  return static_cast<double>(target.y) + (static_cast<double>(query) - first_query) * cell_height();
}

Rect MapGeometry::Source() const {
  return {static_cast<float>(first_key),
          static_cast<float>(first_query),
          static_cast<float>(shown_keys),
          static_cast<float>(shown_queries)};
}

std::optional<CellIndex> MapGeometry::At(double x, double y) const {
  const double column = (x - static_cast<double>(target.x)) / cell_width();
  const double row = (y - static_cast<double>(target.y)) / cell_height();
  if (column < 0.0 || row < 0.0 || column >= shown_keys || row >= shown_queries) {
    return std::nullopt;
  }
  return CellIndex{
      .query = std::min(static_cast<std::int64_t>(std::floor(first_query + row)), queries - 1),
      .key = std::min(static_cast<std::int64_t>(std::floor(first_key + column)), keys - 1)};
}

Rect MapGeometry::CellRect(CellIndex cell) const {
  const auto left = static_cast<float>(KeyX(cell.key));
  const auto top = static_cast<float>(QueryY(cell.query));
  const auto right = static_cast<float>(KeyX(cell.key + 1));
  const auto bottom = static_cast<float>(QueryY(cell.query + 1));
  const float x = std::clamp(left, target.x, target.x + target.width);
  const float y = std::clamp(top, target.y, target.y + target.height);
  return {x,
          y,
          std::clamp(right, target.x, target.x + target.width) - x,
          std::clamp(bottom, target.y, target.y + target.height) - y};
}

namespace {

// The shorter side of a map that is too flat to read or point at, stretched.
double Stretched(double side, double other, double room, std::int64_t cells) {
  const double wanted = std::min(std::max(side, other / 3.0), room);
  const double cell = wanted / static_cast<double>(std::max<std::int64_t>(1, cells));
  return wanted <= side ? side
                        : (cell >= 1.0 ? std::floor(cell) * static_cast<double>(cells) : wanted);
}

}  // namespace

Rect ShapeOfMap(const Rect& cell, std::int64_t queries, std::int64_t keys) {
  const float aspect =
      std::clamp(static_cast<float>(keys) / static_cast<float>(std::max<std::int64_t>(1, queries)),
                 0.5F,
                 2.0F);
  const float width = std::round(std::min(cell.width, cell.height * aspect));
  const float height = std::round(std::min(cell.height, cell.width / aspect));
  return {cell.x + std::floor((cell.width - width) / 2.0F),
          cell.y + std::floor((cell.height - height) / 2.0F),
          width,
          height};
}

MapGeometry PlaceMap(const MapSpace& space,
                     std::int64_t queries,
                     std::int64_t keys,
                     const MapZoom& zoom) {
  constexpr double kFilled = 0.9;
  const Rect& room = space.whole;
  const MapLayout fit = FitMap(static_cast<double>(room.x),
                               static_cast<double>(room.y),
                               static_cast<double>(room.width),
                               static_cast<double>(room.height),
                               queries,
                               keys,
                               kFilled);
  const double width = Stretched(fit.width(), fit.height(), static_cast<double>(room.width), keys);
  const double height =
      Stretched(fit.height(), fit.width(), static_cast<double>(room.height), queries);
  MapGeometry geometry;
  geometry.whole = {std::round(room.x),
                    std::round(room.y),
                    static_cast<float>(std::max(1.0, std::floor(width + 1e-6))),
                    static_cast<float>(std::max(1.0, std::floor(height + 1e-6)))};
  const Rect& whole = geometry.whole;
  geometry.size.across =
      static_cast<double>(std::max(whole.width, std::floor(space.zoomed.width)) / whole.width);
  geometry.size.down =
      static_cast<double>(std::max(whole.height, std::floor(space.zoomed.height)) / whole.height);
  const double zoomed = std::max(1.0, zoom.zoom);
  const ShownPart part = PartShown(zoom, geometry.size);
  geometry.size.width = std::round(static_cast<double>(whole.width) * zoomed * part.across);
  geometry.size.height = std::round(static_cast<double>(whole.height) * zoomed * part.down);
  geometry.target = {whole.x,
                     whole.y,
                     static_cast<float>(geometry.size.width),
                     static_cast<float>(geometry.size.height)};
  geometry.keys = keys;
  geometry.queries = queries;
  geometry.first_key = part.first_x * static_cast<double>(keys);
  geometry.first_query = part.first_y * static_cast<double>(queries);
  geometry.shown_keys = part.across * static_cast<double>(keys);
  geometry.shown_queries = part.down * static_cast<double>(queries);
  return geometry;
}

std::optional<RowMarks> MarksOfRow(const MapGeometry& geometry, std::int64_t query, float width) {
  const Rect& target = geometry.target;
  const Rect row = geometry.CellRect({query, static_cast<std::int64_t>(geometry.first_key)});
  if (query < 0 || query >= geometry.queries || !(row.height > 0.0F)) {
    return std::nullopt;
  }
  const float height = std::max(2.0F * width, std::round(row.height));
  const float middle = row.y + row.height / 2.0F;
  const float top = std::clamp(std::round(middle - height / 2.0F),
                               target.y,
                               std::max(target.y, target.y + target.height - height));
  const float gap = std::round(width / 2.0F);
  const RowMarks marks{.left = {target.x - gap - width, top, width, height},
                       .right = {target.x + target.width + gap, top, width, height}};
  return marks;
}

std::string CellWords(const MapGeometry& geometry) {
  constexpr double kPlain = 10.0;  // pixels: one more or less does not matter
  const double cell = std::min(geometry.cell_width(), geometry.cell_height());
  if (cell < 1.0 - 1e-6) {
    return "each pixel shows the largest of the weights under it; the numbers are exact";
  }
  const double least = std::floor(cell + 1e-6);
  if (cell >= kPlain || cell - least < 1e-6) {
    return "";
  }
  return fmt::format("a cell is one weight, {:.1f} pixels wide: some are drawn {} wide, some {}",
                     cell,
                     least,
                     least + 1.0);
}

MapSpace SpaceForMap(const MapSpaceRequest& request) {
  const auto px = [&request](float unscaled) { return std::round(unscaled * request.scale); };
  const Rect& panel = request.panel;
  const float left = panel.y + panel.height - request.y;  // down to the panel's end
  const float least = std::clamp(panel.height - px(110.0F), px(240.0F), px(430.0F));
  const float side =
      std::max(std::min(least, request.width), std::min(left - request.below, request.width));
  const float zoomed_below = panel.height >= px(760.0F) ? px(150.0F) : px(64.0F);
  MapSpace space;
  space.whole = {request.x, request.y, request.width, side};
  space.zoomed = {request.x, request.y, request.width, std::max(side, left - zoomed_below)};
  return space;
}

LabelRun ThinLabels(
    double first_shown, double shown, double cell, double spacing, std::int64_t count) {
  LabelRun run;
  const double least = spacing / std::max(1e-6, cell);
  for (std::int64_t decade = 1; static_cast<double>(run.step) < least; decade *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      run.step = decade * digit;
      if (static_cast<double>(run.step) >= least) {
        break;
      }
    }
  }
  const auto first = static_cast<std::int64_t>(std::floor(first_shown));
  run.first = std::clamp<std::int64_t>((first + run.step - 1) / run.step * run.step, 0, count);
  run.last = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(first_shown + shown)), run.first, count);
  return run;
}

}  // namespace headscope
