// A number of every head, or of every layer and position, around 0: what each does to a word.
//
// Shapes   values [layers, columns], columns being heads or positions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/heads/measure/heads_of_scan.h"

namespace headscope {

struct EffectMap {
  std::string title;
  std::string caption;  // how the numbers came about, whole sentences
  std::string words;    // what the colours mean
  HeadsOfScan shape;    // its heads are the columns
  std::vector<std::optional<double>> values;
  std::vector<std::string> columns = {};  // their names, where they are not heads
};

}  // namespace headscope
