// A row of the open text that was run, so that another token's logit can be split at once.
//
// Threads  the worker's.
#pragma once

#include <cstdint>
#include <optional>

#include "core/causes/heads_off.h"
#include "core/causes/prediction.h"

namespace headscope {

struct KeptRow {
  std::int64_t row = 0;
  HeadsOff off;
  std::optional<HeadIndex> by_key;
  bool is_masked = false;  // the row was masked, to be said
  PredictedText text;
};

}  // namespace headscope
