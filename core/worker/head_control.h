// What heads drawn at random cost the open text, beside those that are off.
//
// Units    nats, as core/causes/random_heads.h.
// Threads  immutable once published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/causes/random_heads.h"
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct HeadControl {
  std::optional<RandomCost> cost = {};  // none: `why_not` says why
  std::string why_not = {};
};

struct HeadControlJob {
  HeadsOff off;
  Opening opening = {};               // as in AttendRequest
  std::filesystem::path probes = {};  // as in HeadsOffJob

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kText, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

struct HeadControls {
  std::shared_ptr<const HeadControl> control;
};

}  // namespace headscope
