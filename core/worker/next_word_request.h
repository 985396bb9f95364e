// The request for the next word at a row, and its answer (core/worker/requests.h).
//
// Threads  as there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/causes/heads_off.h"
#include "core/heads/measure/head_name.h"
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct NextWord;  // core/causes/next_word.h

// The tokens that a logit is split for, as ReadToken reads them. Empty: the row's likeliest, and no
// other.
struct SplitTokens {
  std::string of = {};
  std::string over = {};  // whose lead over it
  friend bool operator==(const SplitTokens&, const SplitTokens&) = default;
};

// Says what the model predicts at one row, and each part's share in it, for the input of the last
// AttendRequest. For other tokens of the same row and head nothing is run again.
struct NextWordJob {
  std::int64_t row = 0;  // of the target, if there is a decoder
  Opening opening = {};  // as in AttendRequest
  HeadsOff off = {};     // taken away
  SplitTokens tokens = {};
  std::optional<HeadIndex> by_key = {};  // whose share is split over the keys
  std::filesystem::path probes = {};     // as in HeadsOffJob
  // The text as typed, if the row is its end and a token may follow; empty where it was given as ids.
  std::optional<std::string> continues = {};

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

struct NextWordSaid {
  std::shared_ptr<const NextWord> word;
};

}  // namespace headscope
