// A score of every head, as colours.
#include "core/figure/score_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/figure/figure_kind.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

ScoreCell CellOfHead(const ShownScores& shown, const HeadSuggestions& suggestions, HeadIndex head) {
  ScoreCell cell;
  cell.is_faint = !shown.Shows(head);
  if (const HeadFlag* const flag = FindFlag(shown.flags, head)) {
    cell.role = flag->role;
    cell.rgb = ColourOfRole(flag->role);
  } else if (const auto& found = suggestions.Of(head); !found.empty()) {
    cell.role = found.front()->role;
    cell.rgb = ColourOfRole(found.front()->role);
    cell.is_suggested = true;
  }
  return cell;
}

Result<std::unique_ptr<Figure>> MakeScoreMap(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  const ShownScores& shown = *scores;
  const HeadScanReport& report = shown.report().Of(shown.part);
  HEADSCOPE_TRY(const auto metric, ShownMetric(report, shown.metric));
  const ScoreRange range = RangeOf(metric);
  const HeadSuggestions suggestions(shown.roles.get(), shown.flags);
  ScoreMapContent content{.heads = metric.probe->report.about.heads,
                          .cells = {},
                          .colormap = ColormapOf(range, subject.context.scale.colormap),
                          .low = LowWords(metric, range),
                          .high = ScoreText(metric, range.high),
                          .words = ScoreMapWords(metric, range, SourceOf(report, metric))};
  if (range.chance && !range.is_signed) {
    content.mark = range.At(*range.chance);
  }
  const std::vector<std::size_t> top = TopHeads(metric, kTopHeads);
  for (std::size_t place = 0; place < content.heads.count(); ++place) {
    ScoreCell cell = CellOfHead(shown, suggestions, content.heads.At(place));
    if (const auto& score = metric.scores->heads[place].score) {
      cell.at = range.At(*score);
      if (std::ranges::find(top, place) != top.end() && !cell.is_faint) {
        cell.words = ScoreText(metric, *score);
      }
    }
    content.cells.push_back(std::move(cell));
  }
  FigurePage page = ScoresPage(subject.context,
                               shown,
                               fmt::format("{}: every head", metric.name),
                               fmt::format("{}.", metric.number->words.about));
  return std::make_unique<ScoreMap>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kScoreMapFigure;
const FigureKind kScoreMapFigure{.of = FigureOf::kScores, .view = kPlainView, .make = MakeScoreMap};

}  // namespace headscope
