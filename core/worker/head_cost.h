// What losing one head costs the open text, and what it writes at a row, with tokens as people read
// them.
//
// Units    losses in nats, changes in logits.
// Threads  immutable once published.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/causes/head_writes.h"
#include "core/worker/opening.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct HeadCost {
  struct Losses {
    double whole = 0.0;
    double without = 0.0;  // with zero in its place
    friend bool operator==(const Losses&, const Losses&) = default;
  };
  struct Word {
    std::string token;
    double change = 0.0;
    friend bool operator==(const Word&, const Word&) = default;
  };
  HeadIndex head;
  std::int64_t row = 0;
  std::optional<Losses> losses = {};  // none: `why_no_loss` says why
  std::string why_no_loss = {};
  // The most moved first. Both empty: the head writes into no row that says words, or the model cannot
  // be split.
  std::vector<Word> raised = {};
  std::vector<Word> lowered = {};
};

// The losses are measured once for each head of a text, whichever row is asked for.
struct HeadCostJob {
  HeadIndex head;
  std::int64_t row = 0;  // of the rows that say words
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

struct HeadCosts {
  std::shared_ptr<const HeadCost> cost;
};

}  // namespace headscope
