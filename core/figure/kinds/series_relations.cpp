// The best head of each grammatical relation, of several models.
#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<Table> SeriesRelationsOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  Table table = RelationTable(ScannedModels(*scores));
  if (table.rows.empty()) {
    return Fail(ErrorCode::kInput,
                "no relation has ten pairs or more: relations need annotated texts (.conllu)");
  }
  return table;
}

Result<std::unique_ptr<Figure>> MakeSeriesRelations(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto table, SeriesRelationsOf(subject));
  FigurePage page = ScoresPage(subject.context, *subject.scores, table.title, table.caption);
  return std::make_unique<TableFigure>(std::move(page), TableContent{.table = std::move(table)});
}

constexpr auto kSeriesRelationsFormats =
    TableFormats<SeriesRelationsOf>("relation,model,direction");

}  // namespace

extern const FigureKind kSeriesRelationsFigure;
const FigureKind kSeriesRelationsFigure{.of = FigureOf::kSeries,
                                        .view = "relations",
                                        .make = MakeSeriesRelations,
                                        .numbers = kSeriesRelationsFormats,
                                        .table = SeriesRelationsOf};

}  // namespace headscope
