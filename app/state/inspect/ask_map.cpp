// The map in full: whole, or in tiles where it is too large for one copy.
#include <algorithm>
#include <utility>

#include "app/state/inspect/head_views.h"
#include "app/state/work.h"

namespace headscope {
namespace {

std::int64_t BytesOf(const HeadMap& map) {
  return static_cast<std::int64_t>(map.weights.size() * sizeof(float));
}

// A request under way goes on for as long as it has what is missing on screen: one replaced at
// every move would never get done.
void EnsureTiles(const MapView& map, Reducer* reducer) {
  MapsInFull& maps = reducer->state().maps;
  const AttentionShape& shape = map.layer->shape();
  const TileRange shown = TilesShown(shape, reducer->state().selection.zoom, maps.size);
  const TileRange wider = WithNeighbours(shown, shape);
  maps.tiles.Use(map.layer.get(), map.head, wider);
  const bool is_asked = maps.wanted == map;
  std::vector<TileIndex> missing;
  bool is_new = false;
  for (const TileRange& range : {shown, wider}) {
    for (const TileIndex& index : InOrder(range)) {
      if (maps.tiles.Find(map.layer.get(), map.head, index) != nullptr ||
          std::ranges::find(missing, index) != missing.end()) {
        continue;
      }
      missing.push_back(index);
      is_new = is_new ||
               (shown.Holds(index) && !(is_asked && std::ranges::find(maps.wanted_tiles, index) !=
                                                        maps.wanted_tiles.end()));
    }
  }
  if (!is_new) {
    return;
  }
  maps.wanted = map;
  maps.wanted_tiles = std::move(missing);
  maps.Begin(reducer->Send(MapRequest{.map = map, .tiles = maps.wanted_tiles}));
}

void EnsureMap(Reducer* reducer) {
  MapsInFull& maps = reducer->state().maps;
  const FullMap full = MapInFull(reducer->state());
  const MapView& map = full.map;
  if (map.layer == nullptr || full.stale || !map.thumbnail().pooled ||
      !ShowsLargeMap(reducer->state())) {
    return;
  }
  if (IsDrawnFromTiles(*map.layer)) {
    EnsureTiles(map, reducer);
    return;
  }
  const auto found =
      std::ranges::find_if(maps.cache, [&map](const auto& entry) { return entry->of == map; });
  if (found != maps.cache.end()) {
    std::rotate(found, found + 1, maps.cache.end());  // used last
  } else if (maps.wanted != map) {
    maps.wanted = map;
    maps.wanted_tiles.clear();
    maps.Begin(reducer->Send(MapRequest{.map = map}));
  }
}

void HearMap(Reducer* reducer, const Event& event) {
  MapsInFull& maps = reducer->state().maps;
  const Error* const error = FailureOf(event);
  if (const auto* ready = std::get_if<MapReady>(&event.what)) {
    std::int64_t bytes = BytesOf(*ready->map);
    for (const auto& map : maps.cache) {
      bytes += BytesOf(*map);
    }
    while (bytes > maps.byte_budget && !maps.cache.empty()) {
      bytes -= BytesOf(*maps.cache.front());
      maps.cache.erase(maps.cache.begin());
    }
    maps.cache.push_back(ready->map);
    maps.tiles.ShrinkTo(maps.byte_budget - bytes);
  } else if (const auto* tile = std::get_if<TileReady>(&event.what)) {
    maps.cache.clear();
    maps.tiles.ShrinkTo(maps.byte_budget - tile->tile->byte_size());
    maps.tiles.Add(maps.wanted.layer, tile->tile);
  } else if (error != nullptr && error->code != ErrorCode::kCancelled) {
    reducer->Notify(ErrorPlace::kMap, error->message);  // wanted stays: asked for once only
  } else {
    maps.wanted = {};
  }
}

}  // namespace

template <>
std::vector<Work> WorksOf<MapRequest>() {
  return {At<&AppState::maps>(
      {.words = "making the map in full", .ensure = EnsureMap, .hear = HearMap})};
}

}  // namespace headscope
