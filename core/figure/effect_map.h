// A number of every head, or of every layer and position, around 0: what each does to a word.
//
// Shapes   values [layers, columns], columns being heads or positions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/measure/heads_of_scan.h"

namespace headscope {

// The view of what layers do at positions; that of heads is the plain one.
inline constexpr std::string_view kPositionsView = "positions";

struct EffectMap {
  std::string title;
  std::string caption;  // how the numbers came about, whole sentences
  std::string words;    // what the colours mean
  HeadsOfScan shape;    // its heads are the columns
  std::vector<std::optional<double>> values;
  std::vector<std::string> columns = {};  // their names, where they are not heads
  std::optional<std::int64_t> at = {};    // the only row that was taken over; none: all
  // Over pairs of texts, by place: the error of each value, and in how many the sign came back (none:
  // it could in no pair).
  std::vector<double> errors = {};
  std::vector<std::optional<std::int64_t>> restored = {};
};

}  // namespace headscope
