// What a person does with two things side by side. Part of app/state/actions.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/state/action.h"

namespace headscope {

struct CompareWith {  // as side B; what was chosen before makes way
  ComparedSide other;
  void Do(Reducer* reducer) const;
};
void CompareNothing(Reducer* reducer);
struct EditOther {  // the text of side B
  std::string text;
  void Do(Reducer* reducer) const;
};
void SwapSides(Reducer* reducer);
struct SetCompareLook {
  CompareLook look;
  void Do(Reducer* reducer) const;
};
struct PairByHand {  // a head of A with another than the one that was matched
  HeadIndex head;
  std::int64_t other = 0;
  void Do(Reducer* reducer) const;
};
void ResetPairs(Reducer* reducer);
struct ShowWeights {  // what changed of them, in place of heads and pairs
  bool shows = true;
  void Do(Reducer* reducer) const;
};
using SeekWeights = Set<&AppState::compare, &CompareState::weights_sought>;
void CompareWeightsAgain(Reducer* reducer);
struct ShowComparedHead {  // its maps on both sides
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
struct SetPatchLook {  // what it shows takes the place of weights
  PatchLook look;
  void Do(Reducer* reducer) const;
};
void PatchNow(Reducer* reducer);  // what takes long, or was stopped
struct PatchPairsOf {             // a file's; none: the two texts again
  std::filesystem::path file;
  void Do(Reducer* reducer) const;
};
struct PatchPath {  // between two texts, from every earlier head; the sender is looked at
  HeadIndex sender;
  HeadReading to;
  void Do(Reducer* reducer) const;
};
struct PatchHead {  // between two texts, beside every other head; it is looked at
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
void PatchMlps(Reducer* reducer);  // between two texts, of each layer at each token
struct PointPlace {                // of the axes that both share; none: the pointer left the maps
  std::optional<MapPoint> point;
  void Do(Reducer* reducer) const;
};
struct ClickPlace {
  MapPoint point;
  void Do(Reducer* reducer) const;
};

}  // namespace headscope
