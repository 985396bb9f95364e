// What the window says of one row of weights: its largest keys as bars with their numbers, and what
// the others add up to.
//
// Units    weights; lengths are parts of the whole bar, 0 to 1.
// Cost     a partial sort of the row's visible keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

struct RowWeights {
  std::shared_ptr<const Encoding> query_tokens;
  std::shared_ptr<const Encoding> key_tokens;
  std::int64_t query = 0;
  std::int64_t first_visible = 0;
  std::int64_t last_visible = 0;
  std::span<const float> weights;    // [keys]; masked exactly 0
  std::optional<float> sink = {};    // what the head's sink takes; none: it has none
  std::optional<float> hidden = {};  // what it gives to tokens that are left out; none: none are
};

struct RowBar {
  std::int64_t key = 0;
  std::string token;
  std::string number;  // "0.1235", "3.2e-05"
  float length = 0.0F;
  friend bool operator==(const RowBar&, const RowBar&) = default;
};

struct RowBars {
  std::string row;   // "Anna (4)"
  std::string sums;  // ", largest first; sums to 1.0000"
  std::vector<RowBar> bars;
  std::int64_t others = 0;          // visible keys that have no bar
  std::string rest;                 // what their weights add up to
  std::optional<RowBar> sink = {};  // of no key
};

inline constexpr std::int64_t kMostBars = 12;

// The largest weights first, equal ones in reading order; at most kMostBars of them. `room`: lines;
// where others remain, one of them is theirs.
[[nodiscard]] RowBars BarsOfRow(const RowWeights& row, std::int64_t room);

// Weights from a file may be anything: what is no number from 0 to 1 is drawn as the end it is at.
[[nodiscard]] float DrawnLength(float weight);
// For an order that NaN does not break: it stands below every number.
[[nodiscard]] float OrderOf(float weight);

}  // namespace headscope
