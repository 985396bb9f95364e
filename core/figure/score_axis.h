// Scores along an axis of a chart: from the least to the most that there is, chance among them, and
// from 0 where that takes less than half of it.
#pragma once

#include <string>

#include "core/figure/chart.h"
#include "core/heads/scan/scored_metric.h"

namespace headscope {

struct ScoreAxis {
  double low = 0.0;
  double high = 1.0;
  double chance = 0.0;

  // As long as both together; chance stays.
  void Include(const ScoreAxis& other);
  // The same for a chart, with its ends in numbers of the metric.
  [[nodiscard]] ChartAxis Named(const ScoredMetric& metric,
                                std::string name,
                                std::string more = {}) const;
};
[[nodiscard]] ScoreAxis AxisOf(const ScoredMetric& metric);
// The same over the heads of scrambled twins, too.
[[nodiscard]] ScoreAxis AxisWithTwins(const ScoredMetric& metric);

}  // namespace headscope
