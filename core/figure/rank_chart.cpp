#include "core/figure/rank_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/digits.h"

namespace headscope {
namespace {

constexpr double kLeastTenfold = -8.0;  // at the foot of the chart, of the largest value

double HeightOf(double value, double largest) {
  const double share = largest > 0.0 ? value / largest : 0.0;
  return share > 0.0 ? std::max(kLeastTenfold, std::log10(share)) : kLeastTenfold;
}

// The tenfold below the least value.
double FootOf(std::span<const ScoreRank> heads, const ScoreRank& all) {
  constexpr double kMostTenfold = -2.0;
  double foot = kMostTenfold;
  const auto reach = [&](const ScoreRank& rank) {
    if (!rank.values.empty()) {
      foot = std::min(foot, std::floor(HeightOf(rank.values.back(), rank.values.front())));
    }
  };
  std::ranges::for_each(heads, reach);
  reach(all);
  return foot;
}

void AddValues(const ScoreRank& rank, ChartInk ink, float radius, Chart* chart) {
  for (std::size_t i = 0; i < rank.values.size(); ++i) {
    const double x = static_cast<double>(i + 1);
    const double y = HeightOf(rank.values[i], rank.values.front());
    if (i > 0) {
      chart->marks.push_back(ChartLine{.x0 = x - 1.0,
                                       .y0 = HeightOf(rank.values[i - 1], rank.values.front()),
                                       .x1 = x,
                                       .y1 = y,
                                       .ink = ink,
                                       .thickness = 1.0F});
    }
    chart->marks.push_back(ChartDot{.x = x, .y = y, .ink = ink, .radius = radius});
  }
}

}  // namespace

Chart RankChart(std::span<const ScoreRank> heads, const ScoreRank& all, const ThemeColors& colors) {
  Chart chart;
  std::int64_t bound = 0;
  std::int64_t columns = 0;
  for (const ScoreRank& head : heads) {
    bound = std::max(bound, head.Bound());
    columns = std::max(columns, head.head_dim);
  }
  const std::int64_t most = std::max(bound, all.Bound());
  chart.across = {.low = 0.0, .high = static_cast<double>(most) + 1.0, .name = "singular value"};
  const double foot = FootOf(heads, all);
  chart.up = {.low = foot,
              .high = 0.2,
              .name = "over the largest",
              .low_words = fmt::format("{:.0e}", std::pow(10.0, foot)),
              .high_words = "1"};
  chart.right = 8.0F;
  for (const std::int64_t tick : {std::int64_t{1}, bound, most}) {
    if (chart.ticks.empty() || chart.ticks.back().x < static_cast<double>(tick)) {
      chart.ticks.push_back(
          {static_cast<double>(tick), std::to_string(tick), tick == bound && bound < most});
    }
  }
  const float radius = most > 64 ? 1.5F : 2.5F;
  AddValues(all, {colors.muted, 0.6F}, radius, &chart);
  if (columns <= most) {
    chart.LineUp(static_cast<double>(columns) + 0.5, {colors.accent, 0.6F});
  }
  for (const ScoreRank& head : heads) {
    AddValues(head, {colors.accent, heads.size() > 1 ? 0.7F : 1.0F}, radius, &chart);
  }
  return chart;
}

std::string TokensRead(const ScoreRank& rank, const AttentionShape& shape) {
  std::string words = rank.queries == rank.keys
                          ? fmt::format("n = {} tokens", rank.queries)
                          : fmt::format("{} × {} tokens", rank.queries, rank.keys);
  if (rank.queries < shape.queries || rank.keys < shape.keys) {
    words += fmt::format(" (the first of {})", std::max(shape.queries, shape.keys));
  }
  return words;
}

std::string BottleneckWords(const ScoreRank& own, const ScoreRank& all) {
  const std::int64_t tokens = std::min(own.queries, own.keys);
  if (!own.IsBottleneck()) {
    return fmt::format(
        "n = {} is not above dₖ = {}: on a text this short the head's width bounds nothing.",
        tokens,
        own.head_dim);
  }
  if (all.Bound() <= own.Bound()) {
    return fmt::format(
        "n = {} is above dₖ = {}, a bottleneck: this head cannot score every pair of "
        "tokens by itself, even with all of the layer's columns.",
        tokens,
        own.head_dim);
  }
  return fmt::format(
      "n = {} is above dₖ = {}, a bottleneck: of the scores that all {} columns make as one head, "
      "the nearest matrix of rank {} leaves out {}. No head this wide can write more of them.",
      tokens,
      own.head_dim,
      all.head_dim,
      own.head_dim,
      PercentOf(all.LeftOut(own.Bound())));
}

}  // namespace headscope
