#include "app/views/map_geometry.h"

#include <algorithm>
#include <cmath>

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

MapGeometry PlaceMap(const Rect& space,
                     std::int64_t queries,
                     std::int64_t keys,
                     const MapZoom& zoom) {
  const MapLayout fit = FitMap(static_cast<double>(space.x),
                               static_cast<double>(space.y),
                               static_cast<double>(space.width),
                               static_cast<double>(space.height),
                               queries,
                               keys);
  const double width = Stretched(fit.width(), fit.height(), static_cast<double>(space.width), keys);
  const double height =
      Stretched(fit.height(), fit.width(), static_cast<double>(space.height), queries);
  const double part = 1.0 / std::max(1.0, zoom.zoom);
  MapGeometry geometry;
  geometry.target = {static_cast<float>(std::round(fit.x)),
                     static_cast<float>(std::round(fit.y)),
                     static_cast<float>(std::round(width)),
                     static_cast<float>(std::round(height))};
  geometry.keys = keys;
  geometry.queries = queries;
  geometry.shown_keys = static_cast<double>(keys) * part;
  geometry.shown_queries = static_cast<double>(queries) * part;
  geometry.first_key = zoom.center_x * static_cast<double>(keys) - geometry.shown_keys / 2.0;
  geometry.first_query =
      zoom.center_y * static_cast<double>(queries) - geometry.shown_queries / 2.0;
  geometry.first_key = std::max(0.0, geometry.first_key);
  geometry.first_query = std::max(0.0, geometry.first_query);
  return geometry;
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
