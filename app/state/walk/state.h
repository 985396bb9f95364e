// What the state holds of the walk from one head to h heads: which step is in view, and the layer's
// matrices once the worker has made them.
//
// Threads  UI thread; the walk is shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/worker/requests.h"

namespace headscope {

enum class WalkStage { kWidth, kProject, kAttend, kBlend, kConcatenate, kMix };
inline constexpr int kWalkStages = 6;

struct WalkState {
  // What is walked through: a head of a picture, and the row that has to be among those kept.
  struct Question {
    std::shared_ptr<const LayerAttention> layer;
    std::int64_t head = 0;
    std::int64_t first_row = 0;  // of the rows that are kept
    friend bool operator==(const Question&, const Question&) = default;
  };
  bool is_open = false;  // in place of the head counts
  WalkStage stage = WalkStage::kWidth;
  RequestId request = 0;
  std::optional<Question> wanted;  // asked for
  std::optional<Question> of;      // of what follows
  std::shared_ptr<const LayerWalk> walk;
  std::string fault;  // why there is none, in a sentence
};

}  // namespace headscope
