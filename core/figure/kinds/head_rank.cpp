// The rank of one head's scores: their singular values beside those of all columns of its layer.
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "core/base/digits.h"
#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"
#include "core/figure/rank_chart.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

struct RankOfHead {
  NamedHead named;
  ScoreRank own;
  ScoreRank all;
};

Result<RankOfHead> RankOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto named, SubjectHead(subject));
  const LayerAttention& layer = *named.map.layer;
  if (!layer.has_scores()) {
    return Fail(
        ErrorCode::kInput,
        "the rank is that of a head's scores, and this attention holds weights only (a file, or tokens "
        "that are merged or hidden): draw it from a model with all tokens");
  }
  HEADSCOPE_TRY(const auto ranks, RanksOf(layer, {}));
  RankOfHead rank{.named = std::move(named), .own = {}, .all = RankOfAllColumns(layer)};
  rank.own = ranks[static_cast<std::size_t>(subject.head.head)];
  return rank;
}

std::string AboutRank(const RankOfHead& rank, HeadIndex head) {
  return fmt::format("Scores of {} for {}: rank {} of at most {}, effective rank {:.1f}. {}",
                     HeadName(head),
                     TokensRead(rank.own, rank.named.map.layer->shape()),
                     rank.own.Rank(),
                     rank.own.Bound(),
                     rank.own.EffectiveRank(),
                     BottleneckWords(rank.own, rank.all));
}

Result<Table> TableOfRank(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto rank, RankOf(subject));
  Table table;
  table.title = "Singular values of the scores of " + HeadName(subject.head);
  table.caption = AboutRank(rank, subject.head) + " " + std::string(kRankMethod);
  table.columns = {{"singular value", "index", true},
                   {"this head", "head", true},
                   {"all columns, h = 1", "all_columns", true},
                   {"left out by this rank", "left_out", true}};
  const std::size_t most = std::max(rank.own.values.size(), rank.all.values.size());
  const auto cell = [](const std::vector<double>& values, std::size_t i) {
    return i < values.size() ? TableCell{WithDigits(values[i], 4), values[i]} : TableCell{};
  };
  for (std::size_t i = 0; i < most; ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    const double left = rank.all.LeftOut(number);
    table.rows.push_back({{std::to_string(number), static_cast<double>(number)},
                          cell(rank.own.values, i),
                          cell(rank.all.values, i),
                          {PercentOf(left), left}});
  }
  return table;
}

Result<std::unique_ptr<Figure>> MakeHeadRank(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto rank, RankOf(subject));
  const HeadIndex head = subject.head;
  FigurePage page =
      PageOf(subject.context, head.part, "Rank of the scores of " + HeadName(head), "");
  page.notes.push_back(AboutRank(rank, head));
  page.notes.emplace_back(kRankMethod);
  Chart chart = RankChart({&rank.own, 1}, rank.all, ColorsOf(subject.context.theme));
  chart.signs =
      fmt::format("coloured: {}, grey: all columns of the layer as one head, line: d_k = {}",
                  HeadName(head),
                  rank.own.head_dim);
  return std::make_unique<ChartFigure>(std::move(page), std::move(chart));
}

constexpr auto kRankFormats = TableFormats<TableOfRank>("index,head,all_columns,left_out");

}  // namespace

extern const FigureKind kHeadRankFigure;
const FigureKind kHeadRankFigure{
    .of = FigureOf::kHead,
    .view = "rank",
    .make = MakeHeadRank,
    // Without a table to copy: its values are computed, which takes too long
    // for the drawing thread.
    .numbers = kRankFormats};

}  // namespace headscope
