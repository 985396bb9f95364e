#include "core/figure/figure_map.h"

#include <cstdlib>

#include "core/base/check.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

HeadIndex IndexOf(const MapView& view) {
  return {view.layer->layer(), view.head, view.layer->part()};
}

void AddFlag(const FigureContext& context, HeadIndex head, FigureMap* map) {
  for (const HeadFlag& flag : context.flags) {
    if (HeadIndex{flag.layer, flag.head, flag.part} == head) {
      map->flag_role = flag.role;
      map->flag_rgb = ColourOfRole(flag.role);
      if (flag.colour.size() == 7 && flag.colour[0] == '#') {
        const auto rgb =
            static_cast<std::uint32_t>(std::strtoul(flag.colour.c_str() + 1, nullptr, 16));
        map->flag_rgb = rgb != 0 ? rgb : 0x010101;  // 0 means no flag
      }
    }
  }
}

}  // namespace

FigureMap MapOf(const MapView& view, LayerSpan all, const FigureContext& context) {
  FigureMap map;
  map.queries = view.queries();
  map.keys = view.keys();
  map.view = view;
  map.scale = ScaleOfMap(context.scale, view, all);
  map.has_sink = view.layer->has_sinks();
  return map;
}

FigureMap NamedMapOf(const MapView& view, LayerSpan all, const FigureContext& context) {
  FigureMap map = MapOf(view, all, context);
  map.title = HeadName(IndexOf(view));
  AddFlag(context, IndexOf(view), &map);
  return map;
}

FigureMap ThumbnailOf(const MapView& view, LayerSpan all, const FigureContext& context) {
  const Thumbnail& thumbnail = view.thumbnail();
  FigureMap map;
  map.title = HeadName(IndexOf(view));
  map.queries = thumbnail.rows;
  map.keys = thumbnail.cols;
  const bool largest = context.pool == Pool::kLargest && thumbnail.pooled;
  map.weights = largest ? thumbnail.max : thumbnail.mean;
  map.pooled = thumbnail.pooled;
  map.whole_queries = view.queries();
  map.whole_keys = view.keys();
  map.scale = ScaleOfMap(context.scale, view, all);
  map.has_sink = view.layer->has_sinks();
  AddFlag(context, IndexOf(view), &map);
  return map;
}

void CheckMap(const FigureMap& map) {
  HEADSCOPE_CHECK(map.queries > 0 && map.keys > 0, "a map has cells");
  HEADSCOPE_CHECK(map.view.layer != nullptr ||
                      static_cast<std::int64_t>(map.weights.size()) == map.queries * map.keys,
                  "a map has a weight for each cell");
}

}  // namespace headscope
