#include "app/views/heads_axis.h"

#include <algorithm>
#include <string>
#include <utility>

#include <imgui.h>

namespace headscope {

float ScoreAxis::At(double score) const {
  return high > low ? static_cast<float>((score - low) / (high - low)) : 0.5F;
}

void ScoreAxis::Include(const ScoreAxis& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
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
  ends.Take(*axis.chance);
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
    const auto found = std::ranges::find(twin, metric.id, &NamedScores::id);
    if (found != twin.end()) {
      ends.TakeHeads(*found);
    }
  }
  return AxisOver(metric, ends);
}

void DrawUprightAxis(const Ui& ui,
                     const Rect& field,
                     const ScoredMetric& metric,
                     const ScoreAxis& axis) {
  const ThemeColors& colors = ui.colors();
  const float bottom = field.y + field.height;
  ImGui::GetWindowDrawList()->AddLine(
      {field.x, field.y}, {field.x, bottom}, ToImGui(colors.line), 1.0F);
  const float line = LineHeight(ui, Type::kMonoSmall);
  for (const auto& [score, y] :
       {std::pair(axis.high, field.y - line / 2.0F), std::pair(axis.low, bottom - line)}) {
    const std::string words = ToldText(metric, score);
    DrawText(ui,
             field.x - TextWidth(ui, words, Type::kMonoSmall) - ui.Px(6.0F),
             y,
             words,
             Type::kMonoSmall,
             colors.dim);
  }
}

}  // namespace headscope
