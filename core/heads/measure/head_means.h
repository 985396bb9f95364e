// What a scan adds up of heads beside the sums of their rows: means over texts, by the id of what is
// measured (core/heads/measure/measure.h).
//
// Shapes   [layers heads]
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/heads/measure/head_score.h"

namespace headscope {

struct HeadMean {
  double sum = 0.0;  // these four over rows, or what else is counted
  double chance = 0.0;
  double control = 0.0;
  double rows = 0.0;
  double texts = 0.0;  // that have a row
  double mean = 0.0;   // over texts: each text's own
  double mean_square = 0.0;
  // All of them, in the order of files.
  static constexpr std::array<double HeadMean::*, 7> kAll = {&HeadMean::sum,
                                                             &HeadMean::chance,
                                                             &HeadMean::control,
                                                             &HeadMean::rows,
                                                             &HeadMean::texts,
                                                             &HeadMean::mean,
                                                             &HeadMean::mean_square};

  // A text with its sums over its `rows`, of which there is one at least.
  void AddText(double text_sum, double text_chance, double text_control, double text_rows);
  friend bool operator==(const HeadMean&, const HeadMean&) = default;
};
using HeadMeans = std::vector<HeadMean>;                           // [head], or empty
using MeanTotals = std::map<std::string, HeadMeans, std::less<>>;  // by id

void AddMeans(const MeanTotals& from, MeanTotals* to);

// Without a control, which not all have.
[[nodiscard]] HeadScore MeanScore(const HeadMean& head);

}  // namespace headscope
