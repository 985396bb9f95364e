// Maps in which each row has its own range (RangeMode::kRow): converted once to positions along the
// colour map, then drawn like any other map.
//
// Threads  UI thread, with the context current.
// Cost     the first draw reads the map back from the driver.
#pragma once

#include <unordered_map>

#include "app/render/map_store.h"
#include "app/render/scene.h"

namespace headscope {

class RowScaledMaps {
 public:
  // If the range requires it, changes `placement` to the converted map and its scale. A placement
  // whose map was removed stays as it is.
  void Apply(MapPlacement* placement, MapStore& maps);
  void Forget(MapHandle map, MapStore& maps);

 private:
  struct Redone {
    Curve curve = Curve::kLinear;
    MapHandle map = 0;
  };
  std::unordered_map<MapHandle, Redone> redone_;
};

}  // namespace headscope
