// The best head of each grammatical relation, of one model.
#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<Table> ScoreRelationsOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  Table table = RelationTable(ScannedModels(*scores));
  if (table.rows.empty()) {
    return Fail(ErrorCode::kInput,
                "no relation has ten pairs or more: relations need annotated texts (.conllu)");
  }
  return table;
}

Result<std::unique_ptr<Figure>> MakeScoreRelations(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto table, ScoreRelationsOf(subject));
  FigurePage page = ScoresPage(subject.context, *subject.scores, table.title, table.caption);
  return std::make_unique<TableFigure>(std::move(page), TableContent{.table = std::move(table)});
}

constexpr auto kScoreRelationsFormats = TableFormats<ScoreRelationsOf>("relation,direction,head");

}  // namespace

extern const FigureKind kScoreRelationsFigure;
const FigureKind kScoreRelationsFigure{.of = FigureOf::kScores,
                                       .view = "relations",
                                       .make = MakeScoreRelations,
                                       .numbers = kScoreRelationsFormats,
                                       .table = ScoreRelationsOf};

}  // namespace headscope
