// The roles of the heads in view, above their maps.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/inspect/grid_order.h"
#include "app/views/heads/panels.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/counted.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

constexpr float kLegendLine = 32.0F;
constexpr float kSwatch = 10.0F;

struct CountedRole {
  std::string role;
  Rgb color;
  std::int64_t flagged = 0;
  std::int64_t suggested = 0;
};

// In the order of the roles; a person's own words after them.
std::vector<CountedRole> RolesOfGrid(const AppState& state) {
  std::vector<CountedRole> roles;
  for (const Role& role : kRoles) {
    roles.push_back({.role = std::string(role.id), .color = ColorOfRole(role.id)});
  }
  const FlagSheet& flags = FlagsInView(state);
  const HeadSuggestions suggestions = SuggestionsInView(state);
  for (const std::int64_t layer : LayersInView(state)) {
    for (std::int64_t head = 0; head < ShownHeads(state); ++head) {
      const auto shown = RoleShown(flags, suggestions, {layer, head, PartInView(state)});
      if (!shown) {
        continue;
      }
      auto found = std::ranges::find(roles, shown->word, &CountedRole::role);
      if (found == roles.end()) {
        found = roles.insert(found, {.role = shown->word, .color = shown->color});
      }
      ++(shown->is_flag ? found->flagged : found->suggested);
    }
  }
  std::erase_if(roles, [](const CountedRole& role) { return role.flagged + role.suggested == 0; });
  return roles;
}

// A swatch, the role and how many heads have it.
void DrawRoleInLegend(Ui* ui, Flow* flow, const CountedRole& role) {
  const bool is_chosen = ui->state.grid_look.role == role.role;
  const std::string text = fmt::format("{} {}", role.role, role.flagged + role.suggested);
  const float width = TextWidth(*ui, text, Type::kSmall) + ui->Px(kSwatch + 24.0F);
  const Rect place = flow->Next(width, ui->Px(24.0F));
  const std::string counts =
      role.flagged == 0     ? fmt::format("suggested for {}", Counted(role.suggested, "head"))
      : role.suggested == 0 ? fmt::format("{} labelled so", Counted(role.flagged, "head"))
                            : fmt::format("{} labelled so, suggested for {} more",
                                          Counted(role.flagged, "head"),
                                          role.suggested);
  const Role* const known = FindRole(role.role);
  const std::string tooltip =
      fmt::format("{}{}: {}; click {}",
                  role.role,
                  known != nullptr ? fmt::format(" ({})", known->meaning) : "",
                  counts,
                  is_chosen ? "shows all heads" : "shows these alone");
  const Pressed pressed = Area(ui, role.role.c_str(), place, tooltip);
  if (is_chosen || pressed.hovered) {
    FillRect(*ui, place, is_chosen ? ChosenFill(*ui) : ui->colors().raised, 7.0F);
  }
  Row row(ui, place);
  row.Skip(7.0F);
  const Rect swatch = row.Left(ui->Px(kSwatch));
  FillRect(*ui,
           {swatch.x, place.y + (place.height - swatch.width) / 2.0F, swatch.width, swatch.width},
           role.color,
           3.0F);
  row.Skip(6.0F);
  row.Text(text, Type::kSmall, is_chosen ? ui->colors().text : ui->colors().muted);
  if (pressed.clicked) {
    GridLook look = ui->state.grid_look;
    look.role = is_chosen ? "" : role.role;
    ui->Do(SetGridLook{look});
  }
}

// What is said where no head has a role.
std::string WordsWithoutRoles(const AppState& state) {
  const HeadScanReport* const report = RolesInView(state);
  if (state.flag_files.is_blind) {
    return "Labelling blind: suggestions are hidden. Press F to label a head.";
  }
  if (!CanScore(state)) {
    return "No head is labelled. Press F to label one.";
  }
  if (state.scan.request != 0) {
    return "Looking for what heads do …";
  }
  return report != nullptr && report->is_whole()
             ? "The scan suggests no role for these heads. Press F to label one."
             : "Nobody has looked yet for what these heads do.";
}

}  // namespace

std::optional<ShownRole> RoleShown(const FlagSheet& flags,
                                   const HeadSuggestions& suggestions,
                                   HeadIndex head) {
  if (const HeadFlag* const flag = FindFlag(flags, head)) {
    return ShownRole{flag->role, ColorFromHex(flag->colour), true};
  }
  const auto& found = suggestions.Of(head);
  return found.empty() ? std::nullopt
                       : std::optional(ShownRole{
                             found.front()->role, ColorOfRole(found.front()->role), false});
}

float DrawRoleLegend(Ui* ui, const Rect& area) {
  if (ShownLayers(ui->state) == 0) {
    return 0.0F;
  }
  const std::vector<CountedRole> roles = RolesOfGrid(ui->state);
  Flow flow(
      ui, {area.x, area.y, ui->layout.middle_visible.width, ui->Px(kLegendLine)}, kLegendLine);
  for (const CountedRole& role : roles) {
    DrawRoleInLegend(ui, &flow, role);
  }
  if (roles.empty()) {
    const std::string words = WordsWithoutRoles(ui->state);
    const float width = std::min(TextWidth(*ui, words, Type::kSmall) + ui->Px(4.0F),
                                 ui->layout.middle_visible.width - ui->Px(28.0F));
    Row(ui, flow.Next(width, ui->Px(24.0F))).Text(words, Type::kSmall, ui->colors().muted);
  }
  const HeadScanReport* const report = RolesInView(ui->state);
  const bool can_scan = CanScore(ui->state) && !ui->state.flag_files.is_blind &&
                        ui->state.scan.request == 0 &&
                        (report == nullptr || (ui->state.scan.is_stopped && !report->is_whole()));
  if (can_scan && flow.Button("find roles",
                              {.text = report == nullptr ? "Find what heads do" : "Go on looking",
                               .tooltip = "Scores all heads on built-in texts; roles appear as "
                                          "they are found",
                               .type = Type::kSmall})) {
    ui->Do(FindRoles);
  }
  return flow.height();
}

}  // namespace headscope
