// Heads placed by how alike they look on a text.
#include <fmt/format.h>

#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeScoreAlike(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  const ShownScores& shown = *scores;
  if (shown.places == nullptr) {
    return Fail(
        ErrorCode::kInput,
        "No heads are placed by how alike they look: that takes an open text; in the window "
        "open Heads, Alike, and export from there.");
  }
  const HeadSuggestions suggestions(shown.roles.get(), shown.flags);
  Chart chart = AlikeChart(
      *shown.places,
      suggestions,
      shown.flags,
      shown.selected,
      [&shown](HeadIndex head) { return shown.Shows(head); },
      ColorsOf(subject.context.theme));
  FigurePage page;
  page.title = "Heads by how alike they look";
  page.caption = fmt::format(
      "{}. Text: {}. {} A unit is the square root of a nat of Jensen-Shannon "
      "divergence. Heads and layers count from 0.",
      subject.context.model,
      shown.placed_on,
      AlikeWords(*shown.places));
  page.notes = subject.context.notes;
  page.theme = subject.context.theme;
  page.size_px = subject.context.size_px;
  return std::make_unique<ChartFigure>(std::move(page), std::move(chart));
}

}  // namespace

extern const FigureKind kScoreAlikeFigure;
const FigureKind kScoreAlikeFigure{
    .of = FigureOf::kScores, .view = "alike", .make = MakeScoreAlike};

}  // namespace headscope
