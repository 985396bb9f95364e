// Joins neighbours pair by pair, always the best pair of all: the common part of both kinds of
// byte-pair encoding.
//
// Errors   kCancelled.
// Cost     n log n for n symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <stop_token>
#include <vector>

#include "core/text/wordwise_model.h"

namespace headscope::text {

// Part of a piece being built: the symbols form a linked list within the vector.
struct Symbol {
  static constexpr std::int32_t kNone = -1;
  std::int32_t id = kNone;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int32_t previous = kNone;
  std::int32_t next = kNone;
  bool is_gone = false;
  bool is_fixed = false;  // never joins
};

// The result of joining two neighbours; the lowest rank goes first, then the leftmost.
struct Join {
  std::uint32_t rank = 0;
  std::int32_t id = 0;
};

// `find(left, right)` returns an optional Join.
template <typename Find>
[[nodiscard]] Status JoinSymbols(std::vector<Symbol>& symbols,
                                 const std::stop_token& stop,
                                 const Find& find) {
  struct Candidate {
    Join join;
    std::int32_t left = 0;
    // std::priority_queue returns the largest.
    bool operator<(const Candidate& other) const {
      return join.rank != other.join.rank ? join.rank > other.join.rank : left > other.left;
    }
  };
  const auto at = [&](std::int32_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
  const auto find_at = [&](std::int32_t left) -> std::optional<Join> {
    return at(left).next == Symbol::kNone ? std::nullopt : find(at(left), at(at(left).next));
  };
  const auto count = static_cast<std::int32_t>(symbols.size());
  for (std::int32_t i = 0; i < count; ++i) {
    at(i).previous = i - 1;
    at(i).next = i + 1 < count ? i + 1 : Symbol::kNone;
  }
  std::vector<Candidate> first;
  for (std::int32_t i = 0; i < count; ++i) {
    if (const std::optional<Join> join = find_at(i)) {
      first.push_back({*join, i});
    }
  }
  std::priority_queue<Candidate> queue({}, std::move(first));
  for (std::size_t step = 1; !queue.empty(); ++step) {
    if (step % kStepsBetweenPolls == 0) {
      HEADSCOPE_TRY(CheckStop(stop));
    }
    const Candidate candidate = queue.top();
    queue.pop();
    Symbol& left = at(candidate.left);
    if (left.is_gone) {
      continue;
    }
    const std::optional<Join> join = find_at(candidate.left);
    if (!join || join->id != candidate.join.id) {
      continue;  // the neighbours changed since it was queued
    }
    Symbol& right = at(left.next);
    left.id = join->id;
    left.end = right.end;
    left.next = right.next;
    right.is_gone = true;
    if (left.next != Symbol::kNone) {
      at(left.next).previous = candidate.left;
    }
    for (const std::int32_t beside : {candidate.left, left.previous}) {
      const std::optional<Join> next = beside == Symbol::kNone ? std::nullopt : find_at(beside);
      if (next) {
        queue.push({*next, beside});
      }
    }
  }
  return {};
}

}  // namespace headscope::text
