// Makes the whole map of a head, or tiles of it.
#include <utility>

#include "core/worker/head_map.h"
#include "core/worker/job.h"

namespace headscope {

Status MapRequest::Run(Job* job) const {
  if (tiles.empty()) {
    HEADSCOPE_TRY(auto whole, MakeHeadMap(map, job->stop));
    job->publish(MapReady{std::move(whole)});
    return {};
  }
  for (const TileIndex& index : tiles) {
    HEADSCOPE_TRY(auto tile, MakeTile(*map.layer, map.head, index, job->stop));
    job->publish(TileReady{std::make_shared<const MapTile>(std::move(tile))});
  }
  return {};
}

}  // namespace headscope
