#include "core/figure/training_curves.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/figure/head_color.h"

namespace headscope {
namespace {

// Where several numbers of heads have a bar at one step, bars stand beside one another.
constexpr double kBarShift = 0.004;  // of the axis
constexpr std::size_t kMostBars = 20;

double HighestOf(const TrainingCurves& curves, TrainCurveOf of) {
  double most = 0.0;
  for (const HeadsCurve& curve : curves.curves) {
    for (const CurvePoint& point : curve.Of(of)) {
      most = std::max(most, point.value.mean + point.value.error.value_or(0.0));
    }
  }
  return most;
}

void AddHeadsCurve(const std::vector<CurvePoint>& points, double shift, Rgb color, Chart* chart) {
  // Bars that would run into one another are left out, never the points.
  const std::size_t every = points.size() / kMostBars + 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto step = static_cast<double>(points[i].step);
    const MeanOfRuns& value = points[i].value;
    if (i > 0) {
      chart->marks.emplace_back(ChartLine{.x0 = static_cast<double>(points[i - 1].step),
                                          .y0 = points[i - 1].value.mean,
                                          .x1 = step,
                                          .y1 = value.mean,
                                          .ink = {color},
                                          .thickness = 1.5F});
    }
    if (value.error && i % every == every - 1) {
      chart->marks.emplace_back(ChartError{.x = step + shift,
                                           .low = value.mean - *value.error,
                                           .high = value.mean + *value.error,
                                           .ink = {color, 0.7F}});
    }
  }
  if (points.size() == 1) {
    chart->marks.emplace_back(ChartDot{
        .x = static_cast<double>(points[0].step), .y = points[0].value.mean, .ink = {color}});
  }
}

}  // namespace

const std::array<TrainCurveWords, kCurveQuantities>& AllTrainCurveWords() {
  static const std::array<TrainCurveWords, kCurveQuantities> kWords = {{
      {TrainCurveOf::kLoss, "loss", "loss", "nats a token, on the step's batch"},
      {TrainCurveOf::kInduction, "induction", "induction", "the best head's score on repeats"},
      {TrainCurveOf::kPreviousToken,
       "previous token",
       "previous_token",
       "the best head's score on repeats"},
      {TrainCurveOf::kDivergence, "divergence", "divergence", "nats, the mean over layers"},
  }};
  return kWords;
}

Rgb ColorOfCount(std::int64_t heads, Theme theme) {
  constexpr std::int64_t kColors = 8;  // 1, 2, 4, ... 128; others share the next smaller one's
  const auto width = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(heads, 1)));
  // Neighbours in number lie far apart in colour.
  return ColorOfHead((static_cast<std::int64_t>(width) - 1) * 3 % kColors, kColors, theme);
}

std::vector<NamedInk> LegendOfCurves(const TrainingCurves& curves, Theme theme) {
  std::vector<NamedInk> legend;
  for (const HeadsCurve& curve : curves.curves) {
    legend.push_back(
        {ColorOfCount(curve.heads, theme),
         fmt::format("h {} ({})", curve.heads, Counted(std::ssize(curve.seeds), "seed"))});
  }
  return legend;
}

Chart CurvesChart(const TrainingCurves& curves, const TrainCurveWords& words, Theme theme) {
  double last = 1.0;
  for (const HeadsCurve& curve : curves.curves) {
    for (const std::vector<CurvePoint>& points : curve.points) {  // one axis for all quantities
      last = std::max(last, points.empty() ? 0.0 : static_cast<double>(points.back().step));
    }
  }
  const bool is_share =
      words.of == TrainCurveOf::kInduction || words.of == TrainCurveOf::kPreviousToken;
  const double most = HighestOf(curves, words.of);
  constexpr double kTenths = 10.0;
  const double top = is_share ? 1.0
                     : words.of == TrainCurveOf::kLoss
                         ? std::max(1.0, std::ceil(most))
                         : std::max(0.1, std::ceil(most * kTenths) / kTenths);
  Chart chart{.across = {.high = last,
                         .name = "steps of training",
                         .low_words = "0",
                         .high_words = fmt::format("{:.0f}", last)},
              .up = {.high = top,
                     .name = std::string(words.name),
                     .more = fmt::format(" ({})", words.about),
                     .low_words = "0",
                     .high_words = fmt::format("{:g}", top)},
              .right = 12.0F};
  const ThemeColors& colors = ColorsOf(theme);
  chart.LineAcross(top, {colors.line});
  const auto middle = static_cast<double>(curves.curves.size() - 1) / 2.0;
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    const HeadsCurve& curve = curves.curves[i];
    AddHeadsCurve(curve.Of(words.of),
                  (static_cast<double>(i) - middle) * kBarShift * last,
                  ColorOfCount(curve.heads, theme),
                  &chart);
  }
  return chart;
}

Table CurvesTable(const TrainingCurves& curves) {
  Table table;
  table.title = "Curves of trainings";
  table.caption = fmt::format("{}. {}", curves.task, CurvesSeeds(curves));
  table.columns = {{"heads", "heads", true},
                   {"step", "step", true},
                   {"number", "quantity"},
                   {"mean", "mean", true},
                   {"±", "error", true},
                   {"runs", "runs", true}};
  const auto count = [](auto value) {
    return TableCell{fmt::format("{}", value), static_cast<double>(value)};
  };
  for (const HeadsCurve& curve : curves.curves) {
    for (const TrainCurveWords& words : AllTrainCurveWords()) {
      for (const CurvePoint& point : curve.Of(words.of)) {
        const MeanOfRuns& value = point.value;
        table.rows.push_back({count(curve.heads),
                              count(point.step),
                              {std::string(words.key)},
                              {fmt::format("{:.3f}", value.mean), value.mean},
                              value.error
                                  ? TableCell{fmt::format("{:.3f}", *value.error), *value.error}
                                  : TableCell{"–"},
                              count(value.runs)});
      }
    }
  }
  return table;
}

std::string CurvesSeeds(const TrainingCurves& curves) {
  std::vector<std::string> counts;
  bool has_errors = false;
  for (const HeadsCurve& curve : curves.curves) {
    counts.push_back(fmt::format("h {}: {} ({})",
                                 curve.heads,
                                 Counted(std::ssize(curve.seeds), "seed"),
                                 fmt::join(curve.seeds, ", ")));
    has_errors = has_errors || curve.seeds.size() > 1;
  }
  return fmt::format("{}. {}",
                     fmt::join(counts, "; "),
                     has_errors ? "Mean over seeds; a bar is the standard error of that mean."
                                : "One seed each: how far others lie is not known.");
}

}  // namespace headscope
