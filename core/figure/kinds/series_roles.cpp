// The best head of each role in several models.
#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<Table> SeriesRolesOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  Table table = RoleTable(ScannedModels(*scores));
  if (table.rows.empty()) {
    return Fail(ErrorCode::kInput, "no head of these models has a role");
  }
  return table;
}

Result<std::unique_ptr<Figure>> MakeSeriesRoles(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto table, SeriesRolesOf(subject));
  FigurePage page = ScoresPage(subject.context, *subject.scores, table.title, table.caption);
  return std::make_unique<TableFigure>(std::move(page), TableContent{.table = std::move(table)});
}

constexpr auto kSeriesRolesFormats = TableFormats<SeriesRolesOf>("role,model,metric");

}  // namespace

extern const FigureKind kSeriesRolesFigure;
const FigureKind kSeriesRolesFigure{.of = FigureOf::kSeries,
                                    .view = "roles",
                                    .make = MakeSeriesRoles,
                                    .numbers = kSeriesRolesFormats,
                                    .table = SeriesRolesOf};

}  // namespace headscope
