// Maps whose rows each have a range of their own (RangeMode::kRow): redone once as positions along
// the colour map, then drawn like any other.
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
  // Changes `placement` to the redone map and the scale to draw it with, if its range asks for
  // that. A placement whose map is no more is left as it is.
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
