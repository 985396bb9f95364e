// Makes the whole map of a head, or tiles of it.
#include <utility>

#include "core/worker/head_map.h"
#include "core/worker/job.h"

namespace headscope {

Status MapRequest::Run(Job* job) const {
  if (tiles.empty()) {
    Result<std::shared_ptr<const HeadMap>> whole = MakeHeadMap(map, job->stop);
    HEADSCOPE_TRY(whole);
    job->publish(MapReady{std::move(*whole)});
    return {};
  }
  for (const TileIndex& index : tiles) {
    Result<MapTile> tile = MakeTile(*map.layer, map.head, index, job->stop);
    HEADSCOPE_TRY(tile);
    job->publish(TileReady{std::make_shared<const MapTile>(std::move(*tile))});
  }
  return {};
}

}  // namespace headscope
