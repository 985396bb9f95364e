// Two scores of every head against each other.
#include <fmt/format.h>

#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeScoreScatter(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  const ShownScores& shown = *scores;
  const HeadScanReport& report = shown.report().Of(shown.part);
  HEADSCOPE_TRY(const auto across, ShownMetric(report, shown.metric));
  HEADSCOPE_TRY(const auto up, ShownMetric(report, shown.second));
  const HeadSuggestions suggestions(shown.roles.get(), shown.flags);
  const HeadsDrawn drawn{.report = report,
                         .heads = across.probe->report.about.heads,
                         .suggestions = suggestions,
                         .flags = shown.flags,
                         .selected = shown.selected,
                         .is_shown = [&shown](HeadIndex head) { return shown.Shows(head); }};
  Chart chart = ScatterChart(drawn, across, up, ColorsOf(subject.context.theme));
  FigurePage page = ScoresPage(subject.context,
                               shown,
                               fmt::format("{} and {}", across.name, up.name),
                               "A dot for each head.");
  return std::make_unique<ChartFigure>(std::move(page), std::move(chart));
}

}  // namespace

extern const FigureKind kScoreScatterFigure;
const FigureKind kScoreScatterFigure{
    .of = FigureOf::kScores, .view = "scatter", .make = MakeScoreScatter};

}  // namespace headscope
