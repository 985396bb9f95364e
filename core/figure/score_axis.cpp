#include "core/figure/score_axis.h"

#include <algorithm>
#include <string>
#include <utility>

namespace headscope {

void ScoreAxis::Include(const ScoreAxis& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
}

ChartAxis ScoreAxis::Named(const ScoredMetric& metric, std::string name, std::string more) const {
  return {.low = low,
          .high = high,
          .name = std::move(name),
          .more = std::move(more),
          .low_words = ToldText(metric, low),
          .high_words = ToldText(metric, high)};
}

namespace {

// So short that differences within errors do not fill a chart.
constexpr double kLeastSpan = 0.02;

struct ScoreEnds {
  double low = 0.0;
  double high = 0.0;
  bool is_empty = true;

  void Take(double value) {
    low = is_empty ? value : std::min(low, value);
    high = is_empty ? value : std::max(high, value);
    is_empty = false;
  }
  void TakeHeads(const NamedScores& scores) {
    for (const HeadScore& head : scores.heads) {
      if (head.score) {
        Take(*head.score);
      }
    }
  }
};

ScoreAxis AxisOver(const ScoredMetric& metric, ScoreEnds ends) {
  const ScoreRange range = RangeOf(metric);
  ScoreAxis axis;
  axis.chance = range.chance ? *range.chance : range.low;  // where colours begin, too
  ends.Take(axis.chance);
  const double high = std::max(ends.high, ends.low + kLeastSpan);
  axis.low = ends.low >= 0.0 && ends.low < high / 2.0 ? 0.0 : ends.low;
  axis.high = std::max(ends.high, axis.low + kLeastSpan);
  return axis;
}

}  // namespace

ScoreAxis AxisOf(const ScoredMetric& metric) {
  ScoreEnds ends;
  ends.TakeHeads(*metric.scores);
  return AxisOver(metric, ends);
}

ScoreAxis AxisWithTwins(const ScoredMetric& metric) {
  ScoreEnds ends;
  ends.TakeHeads(*metric.scores);
  for (const std::vector<NamedScores>& twin : metric.probe->twins) {
    if (const NamedScores* const found = FindScores(twin, metric.id)) {
      ends.TakeHeads(*found);
    }
  }
  return AxisOver(metric, ends);
}

}  // namespace headscope
