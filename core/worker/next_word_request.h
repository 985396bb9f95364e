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
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct NextWord;  // core/worker/next_word.h

// Says what the model predicts at one row, and each head's share in it, for the input of the last
// AttendRequest.
struct NextWordJob {
  std::int64_t row = 0;               // of the target, if there is a decoder
  Opening opening = {};               // as in AttendRequest
  HeadsOff off = {};                  // taken away
  std::filesystem::path probes = {};  // as in HeadsOffJob
  // The text as typed, if the row is its end and a token may follow; empty where it was given as ids.
  std::optional<std::string> continues = {};

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

struct NextWordSaid {
  std::shared_ptr<const NextWord> word;
};

}  // namespace headscope
