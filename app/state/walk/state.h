// What the state holds of the walk from one head to h heads: which step is in view, and the layer's
// matrices once the worker has made them.
//
// Threads  UI thread; the walk is shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/state/asked.h"

namespace headscope {

enum class WalkStage { kWidth, kProject, kAttend, kBlend, kConcatenate, kMix };
inline constexpr int kWalkStages = 6;

// What is walked through: a head of a picture, and the row that has to be among those kept.
struct WalkSubject {
  std::shared_ptr<const LayerAttention> layer;
  std::int64_t head = 0;
  std::int64_t first_row = 0;  // of the rows that are kept
  friend bool operator==(const WalkSubject&, const WalkSubject&) = default;
};

struct WalkState : Asked<WalkSubject, std::shared_ptr<const LayerWalk>> {
  bool is_open = false;  // in place of the head counts
  WalkStage stage = WalkStage::kWidth;
};

}  // namespace headscope
