// The heads of each role, with a sentence of evidence.
#include "core/figure/figure_kind.h"
#include "core/figure/roles_figure.h"
#include "core/figure/table_numbers.h"
#include "core/figure/web_page.h"

namespace headscope {
namespace {

Result<Table> ScoreRolesOf(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  return RoleTable(ScannedModels(*scores));
}

Result<std::unique_ptr<Figure>> MakeScoreRoles(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto scores, ScoresOf(subject));
  RolesContent content{.roles = HeadsByRole(*scores)};
  if (content.roles.empty()) {
    return Fail(ErrorCode::kInput, "no head has a role yet, flagged or suggested");
  }
  FigurePage page = ScoresPage(subject.context,
                               *subject.scores,
                               "Heads by role",
                               "Of each role the heads that a scan suggests, the surest first, and "
                               "the evidence for the first of them.");
  return std::make_unique<RolesFigure>(std::move(page), std::move(content));
}

constexpr auto kRoleTables = TableFormats<ScoreRolesOf>("role,metric,head");
constexpr std::array<NumbersFormat, 4> kScoreRolesFormats = {
    kRoleTables[0], kRoleTables[1], kRoleTables[2], PageFormat<WriteRolesPage>()};

}  // namespace

extern const FigureKind kScoreRolesFigure;
const FigureKind kScoreRolesFigure{.of = FigureOf::kScores,
                                   .view = "roles",
                                   .make = MakeScoreRoles,
                                   .numbers = kScoreRolesFormats,
                                   .table = ScoreRolesOf};

}  // namespace headscope
