#include "core/figure/score_charts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/figure/score_axis.h"
#include "core/heads/flags/role.h"
#include "core/heads/scan/ablation_words.h"

namespace headscope {
namespace {

// Those that both scores are of.
std::size_t CountTwins(const ScoredMetric& across, const ScoredMetric& up) {
  return std::min(across.probe->twins.size(), up.probe->twins.size());
}

// The heads of the twins that are done, each twin's own.
void AddTwins(const ScoredMetric& across, const ScoredMetric& up, ChartInk ink, Chart* chart) {
  for (std::size_t twin = 0; twin < CountTwins(across, up); ++twin) {
    const NamedScores* const x = FindScores(across.probe->twins[twin], across.id);
    const NamedScores* const y = FindScores(up.probe->twins[twin], up.id);
    for (std::size_t head = 0; x != nullptr && y != nullptr && head < x->heads.size(); ++head) {
      if (x->heads[head].score && y->heads[head].score) {
        chart->marks.emplace_back(ChartDot{
            .x = *x->heads[head].score, .y = *y->heads[head].score, .ink = ink, .radius = 3.5F});
      }
    }
  }
}

// A head's dot: filled in the colour of its flag, a ring in that of a suggestion, else grey.
ChartDot DotOfHead(double x,
                   double y,
                   HeadIndex head,
                   const HeadSuggestions& suggestions,
                   const FlagSheet& flags,
                   const ThemeColors& colors) {
  ChartDot dot{.x = x, .y = y, .ink = {colors.dim}};
  if (const HeadFlag* flag = FindFlag(flags, head)) {
    dot.ink.color = RgbOf(ColourOfRole(flag->role));
    dot.radius = 5.0F;
  } else if (const auto& found = suggestions.Of(head); !found.empty()) {
    dot.ink.color = RgbOf(ColourOfRole(found.front()->role));
    dot.radius = 4.5F;
    dot.ring = 2.0F;
  }
  return dot;
}

ChartDot RingOfSelected(double x, double y, const ThemeColors& colors) {
  return {.x = x, .y = y, .ink = {colors.accent}, .radius = 7.5F, .ring = 2.0F};
}

void AddScatteredHeads(const HeadsDrawn& drawn,
                       const ScoredMetric& across,
                       const ScoredMetric& up,
                       const ThemeColors& colors,
                       Chart* chart) {
  for (std::size_t place = 0; place < drawn.heads.count(); ++place) {
    const auto& x = across.scores->heads[place].score;
    const auto& y = up.scores->heads[place].score;
    const HeadIndex head = drawn.heads.At(place);
    if (!x || !y || !drawn.Shows(head)) {
      continue;
    }
    ChartDot dot = DotOfHead(*x, *y, head, drawn.suggestions, drawn.flags, colors);
    dot.key = place;
    chart->marks.emplace_back(dot);
    if (head == drawn.selected) {
      chart->marks.emplace_back(RingOfSelected(*x, *y, colors));
    }
  }
}

std::string ScatterSigns(std::size_t twins) {
  std::string words = "dot: a head · lines: chance";
  if (twins > 0) {
    words += " · grey cloud: heads of shuffled copies";
  }
  return words + " · colour: its role, ring: suggested";
}

const HeadScore* BestIn(const SeriesPoint& model) {
  return model.metric ? &model.metric->scores->heads[*model.metric->best] : nullptr;
}

std::optional<ScoreAxis> AxisOfSeries(std::span<const SeriesPoint> models) {
  std::optional<ScoreAxis> axis;
  for (const SeriesPoint& model : models) {
    if (model.metric) {
      const ScoreAxis own = AxisOf(*model.metric);
      axis = axis.value_or(own);
      axis->Include(own);
      const HeadScore& best = *BestIn(model);
      axis->high = std::max(axis->high, *best.score + best.error.value_or(0.0));
    }
  }
  return axis;
}

// Where a model stands, in the middle of its part.
double Across(std::size_t model) {
  return static_cast<double>(model) + 0.5;
}

// From model to model that has a score; `score`: none where there is none.
template <typename ScoreOf>
void JoinModels(std::span<const SeriesPoint> models, ChartInk ink, Chart* chart, ScoreOf score) {
  for (std::size_t i = 1; i < models.size(); ++i) {
    const std::optional<double> before = score(models[i - 1]);
    const std::optional<double> value = score(models[i]);
    if (before && value) {
      chart->marks.emplace_back(ChartLine{.x0 = Across(i - 1),
                                          .y0 = *before,
                                          .x1 = Across(i),
                                          .y1 = *value,
                                          .ink = ink,
                                          .thickness = 1.5F});
    }
  }
}

// The open model's ground, and of each model even attention's score.
void AddPlaces(std::span<const SeriesPoint> models, const ThemeColors& colors, Chart* chart) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto left = static_cast<double>(i);
    chart->ticks.push_back({Across(i), models[i].label, models[i].is_open});
    if (models[i].is_open) {
      chart->marks.emplace_back(ChartBand{left, left + 1.0, 48.0F, {colors.panel}});
    }
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].metric) {
      const auto left = static_cast<double>(i);
      const double chance = AxisOf(*models[i].metric).chance;
      chart->marks.emplace_back(ChartLine{
          .x0 = left, .y0 = chance, .x1 = left + 1.0, .y1 = chance, .ink = {colors.muted, 0.35F}});
    }
  }
}

// In a training a head stays the same head; the models of a family have none in common.
void FollowHead(std::span<const SeriesPoint> models,
                HeadIndex head,
                const ThemeColors& colors,
                Chart* chart) {
  JoinModels(models,
             {colors.accent, 0.7F},
             chart,
             [head](const SeriesPoint& model) -> std::optional<double> {
               const auto place = model.metric
                                      ? PlaceOf(model.metric->probe->report.about.heads, head)
                                      : std::nullopt;
               return place ? model.metric->scores->heads[*place].score : std::nullopt;
             });
}

void AddBest(std::span<const SeriesPoint> models, Rgb color, Chart* chart) {
  JoinModels(models, {color, 0.8F}, chart, [](const SeriesPoint& model) {
    return BestIn(model) != nullptr ? BestIn(model)->score : std::nullopt;
  });
  for (std::size_t i = 0; i < models.size(); ++i) {
    const HeadScore* const best = BestIn(models[i]);
    if (best == nullptr) {
      continue;
    }
    chart->marks.emplace_back(ChartDot{.x = Across(i), .y = *best->score, .ink = {color}});
    if (best->error) {
      chart->marks.emplace_back(
          ChartError{Across(i), *best->score - *best->error, *best->score + *best->error, {color}});
    }
  }
}

void AddHeadsOfModels(std::span<const SeriesPoint> models,
                      bool is_training,
                      std::optional<HeadIndex> selected,
                      const ThemeColors& colors,
                      SeriesChart* series) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto& metric = models[i].metric;
    for (std::size_t place = 0; metric && place < metric->scores->heads.size(); ++place) {
      const auto& score = metric->scores->heads[place].score;
      if (!score) {
        continue;
      }
      const HeadIndex head = metric->probe->report.about.heads.At(place);
      series->chart.marks.emplace_back(ChartDot{.x = Across(i),
                                                .y = *score,
                                                .ink = {colors.muted, 0.5F},
                                                .radius = 3.5F,
                                                .key = series->dots.size()});
      series->dots.push_back({.model = i, .head = head, .place = place});
      if ((is_training || models[i].is_open) && head == selected) {
        series->chart.marks.emplace_back(ChartDot{
            .x = Across(i), .y = *score, .ink = {colors.accent}, .radius = 7.0F, .ring = 2.0F});
      }
    }
  }
}

}  // namespace

Chart ScatterChart(const HeadsDrawn& drawn,
                   const ScoredMetric& across,
                   const ScoredMetric& up,
                   const ThemeColors& colors) {
  const auto axis = [&drawn](const ScoredMetric& metric) {
    return AxisWithTwins(metric).Named(
        metric, metric.label, " on " + SourceOf(drawn.report, metric));
  };
  Chart chart{
      .across = axis(across), .up = axis(up), .signs = ScatterSigns(CountTwins(across, up))};
  const ChartInk faint{colors.muted, 0.35F};
  chart.LineUp(AxisOf(across).chance, faint);
  chart.LineAcross(AxisOf(up).chance, faint);
  AddTwins(across, up, {colors.muted, 0.28F}, &chart);
  AddScatteredHeads(drawn, across, up, colors, &chart);
  return chart;
}

Chart AlikeChart(const HeadPlaces& places,
                 const HeadSuggestions& suggestions,
                 const FlagSheet& flags,
                 std::optional<HeadIndex> selected,
                 const std::function<bool(HeadIndex)>& is_shown,
                 const ThemeColors& colors) {
  const auto axis = [&places](double HeadPlace::*at, std::string name) {
    ChartAxis one{.low = 0.0, .high = 0.0, .name = std::move(name)};
    for (const HeadPlace& place : places.heads) {
      one.low = std::min(one.low, place.*at);
      one.high = std::max(one.high, place.*at);
    }
    constexpr double kLeast = 0.02;  // of a side, where all heads are the same along it
    constexpr double kRoom = 0.04;   // beside the outermost heads
    const double pad = std::max(kLeast, kRoom * (one.high - one.low));
    one.low -= pad;
    one.high += pad;
    one.low_words = fmt::format("{:.2f}", one.low);
    one.high_words = fmt::format("{:.2f}", one.high);
    return one;
  };
  Chart chart{
      .across = axis(&HeadPlace::x, fmt::format("first axis: {:.0f} %", 100.0 * places.share_x)),
      .up = axis(&HeadPlace::y,
                 fmt::format("second axis: {:.0f} % of the variance of the distances",
                             100.0 * places.share_y)),
      .signs = "dot: a head · near: alike · colour: its role, ring: suggested",
      .is_even = true};
  for (std::size_t i = 0; i < places.heads.size(); ++i) {
    const HeadPlace& place = places.heads[i];
    if (is_shown && !is_shown(place.head)) {
      continue;
    }
    ChartDot dot = DotOfHead(place.x, place.y, place.head, suggestions, flags, colors);
    dot.key = i;
    chart.marks.emplace_back(dot);
    if (place.head == selected) {
      chart.marks.emplace_back(RingOfSelected(place.x, place.y, colors));
    }
  }
  return chart;
}

std::string AlikeWords(const HeadPlaces& places) {
  return fmt::format(
      "{} heads, placed by how alike they look on this text ({} compared). The two axes hold {:.0f} % "
      "of the variance of all distances; the rest is not shown, so heads that lie near may still "
      "differ: their divergence stands under “Most alike”.",
      places.heads.size(),
      Counted(places.rows, "row"),
      100.0 * places.share());
}

std::optional<SeriesChart> MakeSeriesChart(std::span<const SeriesPoint> models,
                                           std::string across,
                                           bool is_training,
                                           std::optional<HeadIndex> selected,
                                           const ThemeColors& colors) {
  const auto axis = AxisOfSeries(models);
  const auto named =
      std::ranges::find_if(models, [](const SeriesPoint& model) { return !!model.metric; });
  if (!axis || named == models.end()) {
    return std::nullopt;
  }
  const bool follows = is_training && selected.has_value();
  SeriesChart series;
  series.chart = {
      .across = {.high = static_cast<double>(models.size()), .name = std::move(across)},
      .up = axis->Named(*named->metric, named->metric->name),
      .signs = fmt::format("dot: a head · line: the highest, ± its error · faint: chance{}",
                           follows ? " · ring: selected" : ""),
      .right = 24.0F};
  AddPlaces(models, colors, &series.chart);
  if (follows) {
    FollowHead(models, *selected, colors, &series.chart);
  }
  AddHeadsOfModels(models, is_training, selected, colors, &series);
  AddBest(models, colors.text, &series.chart);
  return series;
}

std::size_t PlacesOfDistances(const RelativeAttention& shares) {
  return shares.sees_ahead() ? RelativeAttention::kCount : RelativeAttention::kFurthest + 1;
}

Chart DistanceChart(const RelativeAttention& shares, const ThemeColors& colors) {
  const std::size_t count = PlacesOfDistances(shares);
  const double most = std::max(*std::max_element(shares.mean.begin(), shares.mean.end()), 0.01);
  Chart chart{
      .across = {.high = static_cast<double>(count), .name = "key's place less the query's"},
      .up = {.high = most,
             .name = "attention, mean over the rows that see it",
             .low_words = "0",
             .high_words = fmt::format("{:.2f}", most)}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto left = static_cast<double>(i);
    if (shares.rows[i] > 0) {
      chart.marks.emplace_back(ChartBar{left + 0.12, left + 0.88, shares.mean[i], {colors.accent}});
    }
    const std::int64_t distance = static_cast<std::int64_t>(i) - RelativeAttention::kFurthest;
    if (distance % 5 == 0 || distance == -1) {
      chart.ticks.push_back(
          {left + 0.5, distance == 0 ? std::string("0") : fmt::format("{:+}", distance)});
    }
  }
  return chart;
}

Chart AblationChart(const AblationReport& report, const ThemeColors& colors) {
  double least = 0.0;
  double most = 0.0;
  const auto take = [&](const AblatedHead& head) {
    for (const AblatedHead::Change& change : head.changes) {
      if (change.change) {
        least = std::min(least, *change.change - change.error.value_or(0.0));
        most = std::max(most, *change.change + change.error.value_or(0.0));
      }
    }
  };
  take(report.own);
  std::ranges::for_each(report.controls, take);
  constexpr double kLeastSpan = 0.01;  // nats
  most = std::max(most, least + kLeastSpan);
  Chart chart{.across = {.high = static_cast<double>(kAblationKinds.size()),
                         .name = "what the head gives instead"},
              .up = {.low = least,
                     .high = most,
                     .name = "change of the loss, nats a token",
                     .low_words = ChangeText(least),
                     .high_words = ChangeText(most)},
              .signs = fmt::format("dot: {}, ± its error · ring: another head of its layer",
                                   HeadName(report.own.head))};
  chart.LineAcross(0.0, {colors.muted, 0.6F});
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    const double x = static_cast<double>(kind) + 0.5;
    chart.ticks.push_back({x, WordsOf(kAblationKinds[kind]).name});
    for (const AblatedHead& other : report.controls) {
      if (const auto& change = other.changes[kind].change) {
        chart.marks.emplace_back(
            ChartDot{.x = x, .y = *change, .ink = {colors.muted}, .ring = 1.5F});
      }
    }
    const AblatedHead::Change& own = report.own.changes[kind];
    if (!own.change) {
      continue;
    }
    if (own.error) {
      chart.marks.emplace_back(
          ChartError{x, *own.change - *own.error, *own.change + *own.error, {colors.accent}});
    }
    chart.marks.emplace_back(
        ChartDot{.x = x, .y = *own.change, .ink = {colors.accent}, .radius = 4.5F});
  }
  return chart;
}

}  // namespace headscope
