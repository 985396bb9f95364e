// Curves of trainings with several numbers of heads, the mean over seeds with its error.
#include <fmt/format.h>

#include "core/figure/chart_grid.h"
#include "core/figure/figure_kind.h"
#include "core/figure/table_numbers.h"
#include "core/figure/training_curves.h"

namespace headscope {
namespace {

Result<const TrainingCurves*> CurvesOf(const FigureSubject& subject) {
  if (subject.training == nullptr || subject.training->curves.empty()) {
    return Fail(ErrorCode::kInput, "there is no training run to draw");
  }
  return subject.training.get();
}

Result<Table> TableOfCurves(const FigureSubject& subject) {
  HEADSCOPE_TRY(const TrainingCurves* const curves, CurvesOf(subject));
  return CurvesTable(*curves);
}

Result<std::unique_ptr<Figure>> MakeTraining(const FigureSubject& subject) {
  HEADSCOPE_TRY(const TrainingCurves* const curves, CurvesOf(subject));
  const Theme theme = subject.context.theme;
  ChartGrid grid{.charts = {}, .legend = LegendOfCurves(*curves, theme)};
  for (const TrainCurveWords& words : AllTrainCurveWords()) {
    grid.charts.push_back(CurvesChart(*curves, words, theme));
  }
  FigurePage page;
  page.title = "Training with several numbers of heads";
  page.caption = fmt::format("{}. {}", curves->task, CurvesSeeds(*curves));
  page.notes = subject.context.notes;
  page.notes.insert(page.notes.end(), curves->notes.begin(), curves->notes.end());
  page.theme = theme;
  page.size_px = subject.context.size_px;
  return std::make_unique<ChartGridFigure>(std::move(page), std::move(grid));
}

constexpr auto kTrainingFormats = TableFormats<TableOfCurves>("heads,step,quantity");

}  // namespace

extern const FigureKind kTrainingFigure;
const FigureKind kTrainingFigure{.of = FigureOf::kTraining,
                                 .view = kPlainView,
                                 .make = MakeTraining,
                                 .numbers = kTrainingFormats,
                                 .table = TableOfCurves};

}  // namespace headscope
