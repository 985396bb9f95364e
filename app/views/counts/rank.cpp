// The rank of the selected head's scores: their singular values, what d_k bounds, and what it leaves out
// of the scores of all columns, for each head count.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/counts/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/figure/rank_chart.h"

namespace headscope {
namespace {

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
  Chart chart = RankChart({&own, 1}, all, colors);
  chart.is_small = true;
  DrawChart(ui, "singular values", pen->Take(ui->Px(150.0F)), chart);
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
