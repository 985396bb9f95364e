// Makes the maps of two heads on the axes of their comparison.
#include <utility>

#include "core/compare/compared_pair.h"
#include "core/compare/pair_maps.h"
#include "core/worker/job.h"

namespace headscope {

Status PairMapsJob::Run(Job* job) const {
  const MapView of_a{.layer = pair->LayerA(layer), .head = a};
  const MapView of_b{.layer = pair->LayerB(layer), .head = b};
  HEADSCOPE_TRY(auto maps, MakePairMaps(of_a, of_b, pair->queries, pair->keys, part, job->stop));
  job->publish(PairMapsReady{std::make_shared<const PairMaps>(std::move(maps))});
  return {};
}

}  // namespace headscope
