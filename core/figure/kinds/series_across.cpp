// Models that differ in their number of heads, side by side: small charts, and a table in files of numbers.
#include <fmt/format.h>

#include "core/figure/across_counts.h"
#include "core/figure/chart_grid.h"
#include "core/figure/figure_kind.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

struct ShownAcross {
  std::vector<AcrossModel> models;
  std::vector<AcrossRow> rows;
};

Result<ShownAcross> AcrossOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  ShownAcross shown;
  for (const ShownModel& model : scores->models) {
    shown.models.push_back(
        {.name = model.name,
         .label = model.label,
         .report = model.report != nullptr ? &model.report->Of(scores->part) : nullptr,
         .numbers = model.numbers});
  }
  shown.rows = AcrossRows(shown.models);
  return shown;
}

Result<Table> TableAcross(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto shown, AcrossOf(subject));
  return AcrossTable(shown.rows, subject.scores->across);
}

Result<std::unique_ptr<Figure>> MakeAcross(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto shown, AcrossOf(subject));
  const ShownScores& scores = *subject.scores;
  std::string open;
  for (const ShownModel& model : scores.models) {
    open = model.is_open ? model.label : open;
  }
  ChartGrid grid;
  for (const AcrossColumn& words : AllAcrossColumns()) {
    auto chart =
        AcrossChart(shown.rows, words, scores.across, open, ColorsOf(subject.context.theme));
    if (chart) {
      grid.charts.push_back(std::move(*chart));
    }
  }
  if (grid.charts.empty()) {
    return Fail(ErrorCode::kInput, "no model of the series has numbers to compare");
  }
  FigurePage page =
      ScoresPage(subject.context,
                 scores,
                 scores.is_training ? "Over the steps of a training" : "Across head counts",
                 AcrossNotes(shown.models, shown.rows));
  return std::make_unique<ChartGridFigure>(std::move(page), std::move(grid));
}

constexpr auto kAcrossFormats = TableFormats<TableAcross>("heads,");

}  // namespace

extern const FigureKind kSeriesAcrossFigure;
const FigureKind kSeriesAcrossFigure{.of = FigureOf::kSeries,
                                     .view = "across",
                                     .make = MakeAcross,
                                     .numbers = kAcrossFormats,
                                     .table = TableAcross};

}  // namespace headscope
