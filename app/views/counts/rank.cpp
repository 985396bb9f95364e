// The rank of the selected head's scores: their singular values, what d_k bounds, and what it leaves out
// of the scores of all columns, for each head count.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/counts/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"
#include "core/base/digits.h"

namespace headscope {
namespace {

constexpr double kLeastTenfold = -8.0;  // at the foot of the chart, of the largest value

double HeightOf(double value, double largest) {
  const double share = largest > 0.0 ? value / largest : 0.0;
  return share > 0.0 ? std::max(kLeastTenfold, std::log10(share)) : kLeastTenfold;
}

// The tenfold below the least value of the two.
double FootOf(const ScoreRank& own, const ScoreRank& all) {
  constexpr double kMostTenfold = -2.0;
  double foot = kMostTenfold;
  for (const ScoreRank* const rank : {&own, &all}) {
    if (!rank->values.empty()) {
      foot = std::min(foot, std::floor(HeightOf(rank->values.back(), rank->values.front())));
    }
  }
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

Chart ValuesChart(const ScoreRank& own, const ScoreRank& all, const ThemeColors& colors) {
  Chart chart;
  const std::int64_t most = std::max(own.Bound(), all.Bound());
  chart.across = {.low = 0.0, .high = static_cast<double>(most) + 1.0, .name = "singular value"};
  const double foot = FootOf(own, all);
  chart.up = {.low = foot,
              .high = 0.2,
              .name = "over the largest",
              .low_words = fmt::format("{:.0e}", std::pow(10.0, foot)),
              .high_words = "1"};
  chart.is_small = true;
  chart.right = 8.0F;
  for (const std::int64_t tick : {std::int64_t{1}, own.Bound(), most}) {
    if (chart.ticks.empty() || chart.ticks.back().x < static_cast<double>(tick)) {
      chart.ticks.push_back({static_cast<double>(tick),
                             std::to_string(tick),
                             tick == own.Bound() && own.Bound() < most});
    }
  }
  const float radius = most > 64 ? 1.5F : 2.5F;
  AddValues(all, {colors.muted, 0.6F}, radius, &chart);
  if (own.head_dim <= most) {
    chart.LineUp(static_cast<double>(own.head_dim) + 0.5, {colors.accent, 0.6F});
  }
  AddValues(own, {colors.accent}, radius, &chart);
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

std::string Between(std::int64_t least, std::int64_t most) {
  return least == most ? std::to_string(least) : fmt::format("{}–{}", least, most);
}

// h, d_k, at most, rank, effective, left out.
std::array<std::string, 6> RankCells(const SplitCount& count, const ScoreRank& all) {
  std::array<std::string, 6> cells = {
      std::to_string(count.heads), WidthText(count), "…", "…", "…", "…"};
  if (count.ranks.empty()) {
    return cells;
  }
  const auto [low, high] = std::ranges::minmax(count.ranks, {}, &ScoreRank::Bound);
  const auto [least, most] = std::ranges::minmax(count.ranks, {}, &ScoreRank::Rank);
  double sum = 0.0;
  for (const ScoreRank& rank : count.ranks) {
    sum += rank.EffectiveRank();
  }
  cells[2] = Between(low.Bound(), high.Bound());
  cells[3] = Between(least.Rank(), most.Rank());
  cells[4] = fmt::format("{:.1f}", sum / static_cast<double>(count.heads));
  cells[5] = PercentOf(all.LeftOut(high.Bound()));
  return cells;
}

void DrawRankCells(Row row, const std::array<std::string, 6>& cells, Rgb color) {
  constexpr std::array<float, 6> kParts = {0.09F, 0.15F, 0.17F, 0.17F, 0.19F, 0.23F};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.CellRight(row.whole().width * kParts[i], cells[i], Type::kMonoSmall, color);
  }
}

}  // namespace

void DrawRank(Pen* pen, const SplitResult& result, const ChosenCount& chosen) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const SplitCount& count = result.counts[chosen.count];
  pen->Text("Rank: what dₖ bounds", Type::kBold, colors.text, 24.0F);
  if (count.ranks.empty()) {
    pen->Small("Being measured …", colors.muted);
    pen->Skip(14.0F);
    return;
  }
  const ScoreRank& own = count.ranks[static_cast<std::size_t>(chosen.head)];
  const ScoreRank& all = result.all_columns;
  pen->Small(
      fmt::format("The scores of {} for {}, before the mask: rank {} of at most {}, effective "
                  "rank {:.1f}.",
                  CutName(count, chosen.head),
                  TokensRead(own, count.attention->shape()),
                  own.Rank(),
                  own.Bound(),
                  own.EffectiveRank()),
      colors.text);
  pen->Small(BottleneckWords(own, all), colors.text);
  pen->Skip(8.0F);
  DrawChart(ui, "singular values", pen->Take(ui->Px(150.0F)), ValuesChart(own, all, colors));
  pen->Small("Bright: this head. Grey: all columns as one head, h = 1. Line: dₖ.", colors.muted);
  pen->Skip(8.0F);
  DrawRankCells(
      pen->TopLine(18.0F), {"h", "dₖ", "at most", "rank", "effective", "left out"}, colors.dim);
  pen->Skip(2.0F);
  for (std::size_t at = 0; at < result.counts.size(); ++at) {
    const SplitCount& each = result.counts[at];
    const Row row = pen->TopLine(18.0F);
    DrawRankCells(row, RankCells(each, all), at == chosen.count ? colors.accent : colors.text);
    if (Area(ui, "rank row", static_cast<int>(each.heads), row.whole(), "Select this count")
            .clicked) {
      ui->Do(SelectCount{each.heads, 0});
    }
  }
  pen->Skip(6.0F);
  const auto changes = ChangesOf(result.request);
  pen->Small(
      fmt::format(
          "{}. QKᵀ times the head's scale, before cap and bias, in double. Rank: values "
          "above the largest × n × 2⁻²³, what float32 can tell from 0. Effective: exp of the "
          "entropy of their shares, the mean of a count's heads. Left out: of the scores of "
          "h = 1, by the nearest matrix of that rank (Eckart and Young).",
          changes.empty() ? "The same trained weights, regrouped and not retrained"
                          : fmt::format("Made with {}", fmt::join(changes, "; "))),
      colors.muted);
  pen->Skip(14.0F);
}

}  // namespace headscope
