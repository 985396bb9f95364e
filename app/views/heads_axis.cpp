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

ScoreAxis AxisOf(const ScoredMetric& metric) {
  const ScoreRange range = RangeOf(metric);
  ScoreAxis axis{.low = std::min(range.low, 0.0), .high = range.high, .chance = range.chance};
  if (!range.chance) {
    axis.chance = range.low;  // where colours begin, too
  }
  for (const HeadScore& head : metric.scores->heads) {
    if (head.score) {
      axis.low = std::min(axis.low, *head.score);
      axis.high = std::max(axis.high, *head.score);
    }
  }
  return axis;
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
    const std::string words = ScoreText(metric, score);
    DrawText(ui,
             field.x - TextWidth(ui, words, Type::kMonoSmall) - ui.Px(6.0F),
             y,
             words,
             Type::kMonoSmall,
             colors.dim);
  }
}

}  // namespace headscope
