#include "app/views/heads/axis.h"

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

constexpr float kHeadingLine = 20.0F;  // unscaled
constexpr int kMostSignLines = 3;

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

ChartHeading::ChartHeading(const Ui& ui, std::string up, std::string signs, float width)
    : up_(std::move(up)),
      signs_(std::move(signs)),
      width_(width),
      signs_width_(TextWidth(ui, signs_, Type::kSmall)),
      is_one_line_(TextWidth(ui, up_, Type::kSmall) + ui.Px(16.0F) + signs_width_ <= width),
      height_(ui.Px(kHeadingLine) +
              (is_one_line_ ? 0.0F
                            : ParagraphHeight(ui, signs_, width, Type::kSmall, kMostSignLines))) {}

void ChartHeading::Draw(const Ui& ui, float x, float y) const {
  const ThemeColors& colors = ui.colors();
  const float line = ui.Px(kHeadingLine);
  DrawBeginning(ui, {x, y, width_, line}, up_, Type::kSmall, colors.muted, width_);
  if (is_one_line_) {
    DrawTextIn(
        ui, {x + width_ - signs_width_, y, signs_width_, line}, signs_, Type::kSmall, colors.dim);
  } else {
    DrawParagraph(ui, x, y + line, width_, signs_, Type::kSmall, colors.dim, kMostSignLines);
  }
}

}  // namespace headscope
