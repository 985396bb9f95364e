// Scores along an axis of a chart: from the least to the most that there is, chance among them, and
// from 0 where that takes less than half of it.
#pragma once

#include <optional>
#include <string>

#include "app/state/heads/scores.h"
#include "app/views/kit/ui.h"

namespace headscope {

struct ScoreAxis {
  double low = 0.0;
  double high = 1.0;
  std::optional<double> chance;

  // 0 at the low end, 1 at the high one.
  [[nodiscard]] float At(double score) const;
  // As long as both together; chance stays.
  void Include(const ScoreAxis& other);
};
[[nodiscard]] ScoreAxis AxisOf(const ScoredMetric& metric);
// The same over the heads of scrambled twins, too.
[[nodiscard]] ScoreAxis AxisWithTwins(const ScoredMetric& metric);

// At the left of a field, with its ends in numbers.
void DrawUprightAxis(const Ui& ui,
                     const Rect& field,
                     const ScoredMetric& metric,
                     const ScoreAxis& axis);

// Above a field: the name of the axis that goes up, and what the signs mean, beside it or, where that
// finds no room, below: no word of it is left out.
class ChartHeading {
 public:
  ChartHeading(const Ui& ui, std::string up, std::string signs, float width);
  [[nodiscard]] float height() const { return height_; }
  void Draw(const Ui& ui, float x, float y) const;

 private:
  std::string up_;
  std::string signs_;
  float width_;
  float signs_width_;
  bool is_one_line_;
  float height_;
};

}  // namespace headscope
