// The column beside a large map that shows what the head's sink takes of each row.
#pragma once

#include "app/views/kit/ui.h"
#include "app/views/maps/map_geometry.h"

namespace headscope {

// The room that it takes to the right of a map; 0 where the head has no sink.
[[nodiscard]] float RoomForSink(const Ui& ui, const MapView& map);

// Draws it beside the map, where the head has a sink, and tells the row under the pointer.
void DrawSinkColumn(
    Ui* ui, const MapGeometry& geometry, const MapView& map, const ColorScale& scale, bool dimmed);

}  // namespace headscope
