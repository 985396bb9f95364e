#include "app/views/maps/sink_column.h"

#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "app/views/maps/map_textures.h"
#include "core/figure/sink_column.h"

namespace headscope {
namespace {

constexpr float kSinkGap = 10.0F;  // the marks of a row stand in it
constexpr float kSinkWidth = 14.0F;

}  // namespace

float RoomForSink(const Ui& ui, const MapView& map) {
  return map.layer->has_sinks() ? ui.Px(kSinkGap + kSinkWidth) : 0.0F;
}

void DrawSinkColumn(
    Ui* ui, const MapGeometry& geometry, const MapView& map, const ColorScale& scale, bool dimmed) {
  if (!map.layer->has_sinks()) {
    return;
  }
  const Rect& target = geometry.target;
  const Rect rect{target.x + target.width + std::round(ui->Px(kSinkGap)),
                  target.y,
                  std::round(ui->Px(kSinkWidth)),
                  target.height};
  // The values do not depend on the range's ends, but where each row has its own.
  const bool by_row = scale.range == RangeMode::kRow;
  const std::int64_t made_for = by_row ? 1 + static_cast<std::int64_t>(scale.curve) : 0;
  const MapHandle handle =
      ui->maps->Made(map.layer, map.head, made_for, map.queries(), 1, [&map, &scale] {
        return SinkColumnOf(map, scale).values;
      });
  SceneRegion& region = ui->region(Panel::kDetail);
  if (handle == 0) {
    region.fills.push_back({rect, ui->colors().raised});
  } else {
    region.maps.push_back({.map = handle,
                           .target = rect,
                           .source = {0.0F,
                                      static_cast<float>(geometry.first_query),
                                      1.0F,
                                      static_cast<float>(geometry.shown_queries)},
                           .scale = by_row ? MapTextures::ScaleOfRows(scale) : scale,
                           .dimmed = dimmed});
  }
  DrawSlanted(rect.x + rect.width / 2.0F,
              rect.y - ui->Px(7.0F),
              LabelOf(*ui, "sink", Type::kMono),
              ui->colors().muted);
  const auto cell =
      geometry.At(static_cast<double>(target.x), static_cast<double>(ImGui::GetIO().MousePos.y));
  const std::string words =
      cell ? fmt::format(
                 "The head's sink takes {} of this row: a score that stands beside all "
                 "keys. The weights add up to {}.",
                 ShortNumber(map.layer->SinkWeight(map.head, cell->query), 3),
                 ShortNumber(1.0 - map.layer->SinkWeight(map.head, cell->query), 3))
           : std::string();
  const Pressed area = Area(ui, "sink column", rect, words);
  if (cell && area.hovered) {
    PointAt(ui, {.query = cell->query, .key = std::nullopt});
  }
  if (cell && area.clicked) {
    ui->Do(ClickCell{{.query = cell->query, .key = std::nullopt}});
  }
}

}  // namespace headscope
