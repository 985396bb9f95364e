// Inspect's grid: the order of the heads, and which of them are shown.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/scores.h"
#include "app/state/inspect/grid_order.h"
#include "app/state/queries.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

constexpr std::array<std::pair<GridOrder, const char*>, 4> kOrders = {
    {{GridOrder::kName, "name"},
     {GridOrder::kRole, "role"},
     {GridOrder::kFlag, "flag"},
     {GridOrder::kScore, "score"}}};
constexpr std::array<std::pair<GridFlags, const char*>, 3> kFlagged = {
    {{GridFlags::kAll, "all"},
     {GridFlags::kFlagged, "flagged"},
     {GridFlags::kUnflagged, "not flagged"}}};
constexpr std::array kAgreements = {
    Agreement::kAgree, Agreement::kOnlyMine, Agreement::kOnlySuggested, Agreement::kConflict};

template <typename Value, std::size_t kCount>
void ChooseInGridLook(Ui* ui,
                      const char* id,
                      const std::array<std::pair<Value, const char*>, kCount>& all,
                      Value* value) {
  std::vector<std::string> names;
  int chosen = 0;
  for (const auto& [each, name] : all) {
    chosen = each == *value ? static_cast<int>(names.size()) : chosen;
    names.emplace_back(name);
  }
  if (const int pressed = DialogChoices(ui, id, names, chosen); pressed >= 0) {
    *value = all.at(static_cast<std::size_t>(pressed)).first;
  }
}

void ChooseRoleInGridLook(Ui* ui, std::string* role) {
  std::vector<std::string> names = {"any"};
  int chosen = 0;
  for (const Role& each : kRoles) {
    chosen = each.id == *role ? static_cast<int>(names.size()) : chosen;
    names.emplace_back(each.id);
  }
  if (const int pressed = DialogChoices(ui, "role", names, chosen); pressed >= 0) {
    *role = pressed == 0 ? "" : std::string(kRoles.at(static_cast<std::size_t>(pressed - 1)).id);
  }
}

void ChooseAgreement(Ui* ui) {
  const std::optional<Agreement>& only = ui->state.heads_look.only;
  std::vector<std::string> names = {"all"};
  int chosen = 0;
  for (const Agreement each : kAgreements) {
    chosen = only == each ? static_cast<int>(names.size()) : chosen;
    names.emplace_back(AgreementWords(each));
  }
  const int pressed = DialogChoices(ui, "agreement", names, chosen);
  if (pressed == 0) {
    ui->Do(ShowOnly{});
  } else if (pressed > 0) {
    ui->Do(ShowOnly{kAgreements.at(static_cast<std::size_t>(pressed - 1))});
  }
}

}  // namespace

void DrawGridLook(Ui* ui) {
  const GridLook now = ui->state.grid_look;
  GridLook look = now;
  const std::string why = WhyNoGridScores(ui->state);
  Heading(ui, "Order of the heads");
  ChooseInGridLook(ui, "order", kOrders, &look.order);
  if (look.order == GridOrder::kScore || !look.least.empty()) {
    const std::string words =
        why.empty()
            ? fmt::format("The score is that of {}, chosen in Heads (3).", GridMetric(ui->state))
            : why;
    SmallParagraph(ui, words, ui->colors().muted);
  }
  Heading(ui, "Flags");
  ChooseInGridLook(ui, "flags", kFlagged, &look.flags);
  Heading(ui, "Role, flagged or suggested");
  ChooseRoleInGridLook(ui, &look.role);
  // Before the first flag there is nothing to agree with.
  const bool has_flags = !FlagsInView(ui->state).flags.empty();
  if (!ui->state.flag_files.is_blind && (has_flags || ui->state.heads_look.only)) {
    Heading(ui, "Your flags and the suggestions");
    ChooseAgreement(ui);
  }
  Heading(ui, "Score of at least");
  DialogField(ui, "least score", &look.least, {.hint = "0.5, or nothing"});
  if (!look.least.empty() && !LeastScore(look)) {
    SmallParagraph(ui, "Write a number, such as 0.5.", ui->colors().text);
  }
  if (look != now) {
    ui->Do(SetGridLook{look});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (DialogButton(ui, "All heads by name", false, !IsPlainGrid(ui->state))) {
    ui->Do(SetGridLook{});
    ui->Do(ShowOnly{});
  }
  ImGui::SameLine();
  if (DialogButton(ui, "Close", false)) {
    ui->Do(ClosePopup);
  }
}

}  // namespace headscope
