// What a model says after each row of the open text, whole or with heads taken away.
//
// Threads  immutable once published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/causes/heads_off.h"
#include "core/causes/text_losses.h"
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

// Runs the text of the last AttendRequest without these heads: publishes the layers whose maps are
// others as LayerReady, then TextSaid. Progress is of the sentences for a mean over other texts, which
// are run once. kUnsupported: bfloat16; kInput: the model reads none of those sentences.
struct HeadsOffJob {
  HeadsOff off;
  Opening opening = {};               // as in AttendRequest
  std::filesystem::path probes = {};  // whose sentences are the other texts

  static constexpr RequestRule kRule{.turn = 2, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Says the losses of the whole model on that text.
struct LossesJob {
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

struct TextSaid {
  std::shared_ptr<const NamedLosses> whole = {};    // null: `why_not` says why
  std::shared_ptr<const NamedLosses> without = {};  // null: no head was taken away, or as above
  std::string why_not = {};
};

}  // namespace headscope
