// Weights that are all 1: a slider of the input's scale, and the curve of how far h moves the output
// there, over many draws of the input.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/counts/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/base/digits.h"
#include "core/headcount/equal_weights.h"

namespace headscope {
namespace {

const EqualCurve& NearestCurve(const EqualCurves& curves, double scale) {
  return *std::ranges::min_element(curves.scales, {}, [&](const EqualCurve& one) {
    return std::abs(std::log(one.input_scale / scale));
  });
}

void DrawScaleSlider(Pen* pen, const EqualCurves& curves, const EqualCurve& now) {
  Ui* const ui = pen->ui;
  const int step = StepSlider(ui,
                              "equal scale",
                              pen->Take(ui->Px(26.0F)),
                              "The input times this: drag it",
                              static_cast<int>(curves.scales.size()),
                              static_cast<int>(&now - curves.scales.data()));
  if (step >= 0) {
    const double scale = curves.scales[static_cast<std::size_t>(step)].input_scale;
    if (scale != now.input_scale) {
      ui->Do(ShowCurveAt{scale});
    }
  }
}

Chart CurveChart(const EqualCurve& curve, double high, const ThemeColors& colors) {
  Chart chart;
  const auto place = [](const EqualCurvePoint& point) {
    return std::log2(static_cast<double>(point.heads));
  };
  constexpr double kMargin = 0.3;
  chart.across = {.low = place(curve.counts.front()) - kMargin,
                  .high = place(curve.counts.back()) + kMargin,
                  .name = "h"};
  chart.up = {.low = 0.0,
              .high = high,
              .name = "change of output",
              .low_words = "0",
              .high_words = PercentOf(high)};
  chart.is_small = true;
  chart.right = 8.0F;
  const EqualCurvePoint* before = nullptr;
  for (const EqualCurvePoint& point : curve.counts) {
    const double x = place(point);
    chart.ticks.push_back({.x = x, .words = std::to_string(point.heads)});
    if (before != nullptr) {
      chart.marks.push_back(ChartLine{.x0 = place(*before),
                                      .y0 = before->mean,
                                      .x1 = x,
                                      .y1 = point.mean,
                                      .ink = {.color = colors.accent},
                                      .thickness = 1.5F});
    }
    chart.marks.push_back(ChartError{.x = x,
                                     .low = std::max(0.0, point.mean - point.spread),
                                     .high = point.mean + point.spread,
                                     .ink = {.color = colors.muted}});
    chart.marks.push_back(
        ChartDot{.x = x, .y = point.mean, .ink = {.color = colors.accent}, .radius = 3.0F});
    before = &point;
  }
  return chart;
}

}  // namespace

void DrawEqualCurve(Pen* pen, const SplitResult& result) {
  const EqualCurves& curves = result.curves;
  if (curves.scales.size() < 2 || curves.scales.front().counts.empty()) {
    return;
  }
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const EqualCurve& now = NearestCurve(curves, ui->state.tree.curve_scale);
  pen->Text("Equal weights: how far h moves the output", Type::kBold, colors.text, 24.0F);
  DrawScaleSlider(pen, curves, now);
  pen->Small(
      fmt::format("The input times {:.2g}: the largest weight of a row is {:.2f}, the mean of "
                  "all counts.",
                  now.input_scale,
                  now.largest_weight),
      colors.text);
  // One height for all scales, so that the curve rises and falls as the slider moves.
  double high = 0.0;
  for (const EqualCurve& curve : curves.scales) {
    for (const EqualCurvePoint& point : curve.counts) {
      high = std::max(high, point.mean + point.spread);
    }
  }
  if (high > 0.0) {
    pen->Skip(8.0F);
    DrawChart(ui, "equal curve", pen->Take(ui->Px(150.0F)), CurveChart(now, high, colors));
  }
  pen->Skip(6.0F);
  pen->Small(fmt::format(
                 "The mean over {} draws of {} rows each (seeds {} to {}), and how far they "
                 "scatter. The input is drawn, not read: a layer norm's output sums to 0 in every "
                 "row, and equal weights make that sum all queries, keys and values. They would be "
                 "0, every map even, and h nothing.",
                 kCurveDraws,
                 curves.rows,
                 result.request.seed,
                 result.request.seed + kCurveDraws - 1),
             colors.muted);
  pen->Skip(14.0F);
}

}  // namespace headscope
