// The rank of the scores of every head, for each head count of a layer: a chart for each.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "core/base/digits.h"
#include "core/figure/chart_grid.h"
#include "core/figure/figure_kind.h"
#include "core/figure/rank_chart.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<const SplitResult*> RanksIn(const FigureSubject& subject) {
  if (subject.counts == nullptr || subject.counts->counts.empty()) {
    return Fail(ErrorCode::kInput, "there are no head counts to draw");
  }
  for (const SplitCount& count : subject.counts->counts) {
    if (count.ranks.empty()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the rank of h = {} is not measured yet; wait for it", count.heads));
    }
  }
  return subject.counts.get();
}

std::string AboutCounts(const SplitResult& split) {
  const std::vector<std::string> changes = ChangesOf(split.request);
  const SplitCount& first = split.counts.front();
  return fmt::format("Scores for {}. {}. Line: d_k. {}",
                     TokensRead(first.ranks.front(), first.attention->shape()),
                     changes.empty() ? "The same trained weights, regrouped and not retrained"
                                     : fmt::format("Made with {}", fmt::join(changes, "; ")),
                     kRankMethod);
}

Result<Table> TableOfRanks(const FigureSubject& subject) {
  HEADSCOPE_TRY(const SplitResult* const split, RanksIn(subject));
  Table table;
  table.title = "Rank of scores by head count";
  table.caption = AboutCounts(*split);
  table.columns = {{"h", "heads", true},
                   {"head", "head", true},
                   {"d_k", "head_dim", true},
                   {"at most", "bound", true},
                   {"rank", "rank", true},
                   {"effective", "effective_rank", true},
                   {"left out", "left_out", true}};
  const auto whole = [](std::int64_t number) {
    return TableCell{std::to_string(number), static_cast<double>(number)};
  };
  for (const SplitCount& count : split->counts) {
    for (std::size_t head = 0; head < count.ranks.size(); ++head) {
      const ScoreRank& rank = count.ranks[head];
      const double left = split->all_columns.LeftOut(rank.Bound());
      table.rows.push_back({whole(count.heads),
                            whole(static_cast<std::int64_t>(head)),
                            whole(rank.head_dim),
                            whole(rank.Bound()),
                            whole(rank.Rank()),
                            {WithDigits(rank.EffectiveRank(), 4), rank.EffectiveRank()},
                            {PercentOf(left), left}});
    }
  }
  return table;
}

Result<std::unique_ptr<Figure>> MakeRanks(const FigureSubject& subject) {
  HEADSCOPE_TRY(const SplitResult* const split, RanksIn(subject));
  const ModelPart part = split->counts.front().attention->part();
  const ThemeColors& colors = ColorsOf(subject.context.theme);
  FigurePage page = PageOf(
      subject.context,
      part,
      "Rank of scores: " + LayerWords({part, split->layer}) + ", cut into other numbers of heads",
      "");
  page.notes.push_back(AboutCounts(*split));
  ChartGrid grid{
      .charts = {},
      .legend = {{colors.accent, "each head"}, {colors.muted, "all columns as one head, h = 1"}}};
  for (const SplitCount& count : split->counts) {
    Chart chart = RankChart(count.ranks, split->all_columns, colors);
    chart.across.name = fmt::format("singular value, h = {}{}, d_k {}",
                                    count.heads,
                                    split->IsTrained(count) ? " (trained)" : "",
                                    WidthText(count));
    grid.charts.push_back(std::move(chart));
  }
  // One axis for all, so that charts can be compared.
  const ChartAxis lowest =
      std::ranges::min(grid.charts, {}, [](const Chart& chart) { return chart.up.low; }).up;
  for (Chart& chart : grid.charts) {
    chart.up = lowest;
  }
  return std::make_unique<ChartGridFigure>(std::move(page), std::move(grid));
}

constexpr auto kRanksFormats = TableFormats<TableOfRanks>("heads,head,head_dim,bound");

}  // namespace

extern const FigureKind kHeadCountsRankFigure;
const FigureKind kHeadCountsRankFigure{.of = FigureOf::kCounts,
                                       .view = "rank",
                                       .make = MakeRanks,
                                       .numbers = kRanksFormats,
                                       .table = TableOfRanks};

}  // namespace headscope
