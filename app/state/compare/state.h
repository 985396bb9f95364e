// What the state holds of two things side by side. What follows from it: app/state/compare/compared.h.
//
// Threads  UI thread; results are shared and immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "app/state/compare/patching_state.h"
#include "app/state/inspect/selection.h"
#include "core/compare/compared_pair.h"
#include "core/compare/pair_maps.h"

namespace headscope {

struct ModelInfo;

enum class CompareView { kBeside, kSwipe, kDifference };

// How a pair of heads is drawn.
struct CompareLook {
  CompareView view = CompareView::kBeside;
  float divider = 0.5F;        // of the swipe: A to its left, in parts of the map's width
  bool shows_weights = false;  // what changed of them, in place of heads and pairs
  friend bool operator==(const CompareLook&, const CompareLook&) = default;
};

struct CompareState : Asking {
  struct Question {
    RequestId picture = 0;  // side A: that picture
    ModelPart part = ModelPart::kWhole;
    ComparedSide other;
    TokenLook look = {};
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct MapsQuestion {
    std::shared_ptr<const ComparedPair> pair;
    std::int64_t layer = 0;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::optional<PairPart> part = {};  // none: all
    friend bool operator==(const MapsQuestion&, const MapsQuestion&) = default;
  };
  struct WeightsQuestion {
    std::string fingerprint;  // of side A's model
    std::filesystem::path other;
    friend bool operator==(const WeightsQuestion&, const WeightsQuestion&) = default;
  };
  struct HandPair {
    HeadIndex head;  // of A
    std::int64_t other = 0;
  };

  std::optional<ComparedSide> other;           // side B; none: nothing is chosen
  std::optional<Question> wanted;              // asked for
  std::optional<Question> of;                  // of the result, or of the fault
  std::shared_ptr<const ComparedPair> result;  // of an older question until the new one is done
  std::shared_ptr<const ModelInfo> result_of;  // side A's model
  std::vector<HandPair> by_hand;               // instead of the matching

  Asked<MapsQuestion, std::shared_ptr<const PairMaps>> maps;  // the answer: of the whole
  std::optional<MapsQuestion> part_of;
  std::shared_ptr<const PairMaps> part;  // of long texts, finer: around what is looked at

  Asked<WeightsQuestion, std::shared_ptr<const WeightChanges>> weights;
  std::string weights_sought;  // as typed: only heads and parts of that name are listed

  CompareLook look;
  PatchLook patch_look;
  PatchingState patching;
  std::optional<MapPoint> point;  // in places of the result's axes
  bool point_locked = false;
};

}  // namespace headscope
