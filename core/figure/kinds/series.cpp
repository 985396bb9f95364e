// One score over models in a row.
#include <fmt/format.h>

#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeSeries(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  const ShownScores& shown = *scores;
  HEADSCOPE_TRY(const auto named, ShownMetric(shown.report().Of(shown.part), shown.metric));
  std::vector<SeriesPoint> models;
  for (const ShownModel& model : shown.models) {
    SeriesPoint point{.label = model.label, .metric = {}, .is_open = model.is_open};
    if (model.report != nullptr) {
      point.metric = ScoredIn(model.report->Of(shown.part), shown.metric);
      if (point.metric && !point.metric->best) {
        point.metric.reset();
      }
    }
    models.push_back(std::move(point));
  }
  auto series = MakeSeriesChart(
      models, shown.across, shown.is_training, shown.selected, ColorsOf(subject.context.theme));
  if (!series) {
    return Fail(ErrorCode::kInput, "no model of the series has this score");
  }
  FigurePage page = ScoresPage(
      subject.context, shown, fmt::format("{} over models", named.name), "A dot for each head.");
  return std::make_unique<ChartFigure>(std::move(page), std::move(series->chart));
}

}  // namespace

extern const FigureKind kSeriesFigure;
const FigureKind kSeriesFigure{.of = FigureOf::kSeries, .view = kPlainView, .make = MakeSeries};

}  // namespace headscope
