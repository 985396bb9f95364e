// The models of a family over the steps of their trainings: a chart for the score and for each quantity, and a
// table in files of numbers.
#include <fmt/format.h>

#include "core/figure/chart_grid.h"
#include "core/figure/family_curves.h"
#include "core/figure/figure_kind.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<FamilyCurves> FamilyOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  std::vector<AcrossModel> models;
  for (const ShownModel& model : scores->models) {
    AcrossModel one{.name = model.name, .label = model.label, .numbers = model.numbers};
    if (model.report != nullptr) {
      one.report = &model.report->Of(scores->part);
      one.metric = ScoredIn(*one.report, scores->metric);
    }
    models.push_back(std::move(one));
  }
  FamilyCurves curves = CurvesOfFamily(models);
  if (QuantitiesOf(curves).empty()) {
    return Fail(ErrorCode::kInput,
                "no model has numbers and a name like name-h4 or name-h4/step-100, which says its "
                "number of heads and its step");
  }
  return curves;
}

Result<Table> TableOfFamily(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto curves, FamilyOf(subject));
  return FamilyTable(curves);
}

Result<std::unique_ptr<Figure>> MakeFamily(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto curves, FamilyOf(subject));
  const Theme theme = subject.context.theme;
  std::string open;
  for (const ShownModel& model : subject.scores->models) {
    open = model.is_open ? model.name : open;
  }
  ChartGrid grid{.charts = {}, .legend = LegendOfFamily(curves, theme)};
  for (const FamilyQuantity& quantity : QuantitiesOf(curves)) {
    grid.charts.push_back(FamilyChart(curves, quantity, open, theme));
  }
  FigurePage page = ScoresPage(
      subject.context, *subject.scores, "Over the steps of trainings, by number of heads", "");
  page.caption = fmt::format("{}. Scores over {}. {}",
                             curves.family,
                             ProbeWords(subject.scores->report()),
                             FamilyNotes(curves));
  return std::make_unique<ChartGridFigure>(std::move(page), std::move(grid));
}

constexpr auto kFamilyFormats = TableFormats<TableOfFamily>("heads,step,quantity");

}  // namespace

extern const FigureKind kSeriesCurvesFigure;
const FigureKind kSeriesCurvesFigure{.of = FigureOf::kSeries,
                                     .view = "curves",
                                     .make = MakeFamily,
                                     .numbers = kFamilyFormats,
                                     .table = TableOfFamily};

}  // namespace headscope
