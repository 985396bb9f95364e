// Every head in a list, sorted by a score.
#include <algorithm>

#include <fmt/format.h>

#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

struct ShownList {
  Table table;
  std::vector<std::optional<std::uint32_t>> dots;
};

Result<ShownList> ListOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  const ShownScores& shown = *scores;
  HEADSCOPE_TRY(const auto metric, ShownMetric(shown.report().Of(shown.part), shown.metric));
  const HeadsOfScan& heads = metric.probe->report.about.heads;
  std::vector<std::size_t> places = InOrder(metric, shown.order, shown.is_ascending);
  std::erase_if(places, [&](std::size_t place) { return !shown.Shows(heads.At(place)); });
  const HeadSuggestions suggestions(shown.roles.get(), shown.flags);
  ShownList list{.table = ListTable(metric, places, shown.flags, suggestions), .dots = {}};
  for (const std::size_t place : places) {
    const HeadFlag* const flag = FindFlag(shown.flags, heads.At(place));
    const auto& found = suggestions.Of(heads.At(place));
    list.dots.push_back(flag != nullptr  ? std::optional(ColourOfRole(flag->role))
                        : !found.empty() ? std::optional(ColourOfRole(found.front()->role))
                                         : std::nullopt);
  }
  return list;
}

Result<Table> ListTableOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto list, ListOf(subject));
  return std::move(list.table);
}

Result<std::unique_ptr<Figure>> MakeScoreList(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto list, ListOf(subject));
  FigurePage page = ScoresPage(
      subject.context, *subject.scores, list.table.title, fmt::format("{}.", list.table.caption));
  return std::make_unique<TableFigure>(
      std::move(page), TableContent{.table = std::move(list.table), .dots = std::move(list.dots)});
}

constexpr auto kListFormats = TableFormats<ListTableOf>("head,score,error,chance");

}  // namespace

extern const FigureKind kScoreListFigure;
const FigureKind kScoreListFigure{.of = FigureOf::kScores,
                                  .view = "list",
                                  .make = MakeScoreList,
                                  .numbers = kListFormats,
                                  .table = ListTableOf};

}  // namespace headscope
