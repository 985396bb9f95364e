// The pairs of pieces that byte-pair encoding joins, by their ids.
//
// Shapes   the n-th Add has rank n; a pair added again gets the later rank.
// Errors   Add: kFormat if the vocabulary lacks a piece.
// Threads  immutable after the last Add.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"
#include "core/text/joiner.h"
#include "core/text/vocabulary.h"

namespace headscope::text {

class MergeTable {
 public:
  static constexpr std::size_t kMaxMerges = 4'000'000;

  // Reserves memory, so that the table is not rehashed as it grows.
  void Reserve(std::size_t merges) { merges_.reserve(std::min(merges, kMaxMerges)); }

  // `prefix_bytes` is the length of the continuation prefix, which `right` loses when joined.
  [[nodiscard]] Status Add(std::string_view left,
                           std::string_view right,
                           const Vocabulary& vocabulary,
                           std::size_t prefix_bytes,
                           const std::string& name);

  // Returns empty if the two do not join.
  [[nodiscard]] std::optional<Join> Find(std::int32_t left, std::int32_t right) const;

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t pair) const {
      constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
      return static_cast<std::size_t>((pair ^ (pair >> 32U)) * kMix);
    }
  };
  std::unordered_map<std::uint64_t, Join, Hash> merges_;
  std::uint32_t num_added_ = 0;
};

}  // namespace headscope::text
