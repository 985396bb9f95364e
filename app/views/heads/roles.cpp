// Heads by their roles: each with a sentence of evidence and examples from the open text.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/head_words.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

constexpr std::size_t kExamplesOfRole = 3;
constexpr std::size_t kNewInAFrame = 2;  // heads whose examples are looked for
constexpr std::size_t kMostExamplesKept = 4096;

struct HeadOfRole {
  HeadIndex head;
  const HeadFlag* flag = nullptr;
  const Suggestion* suggestion = nullptr;  // null: a person alone says so
};
struct RoleOfHeads {
  std::string role;
  std::vector<HeadOfRole> heads;
};

// In the order of the roles, a person's own words last; within one in the order of the heads.
std::vector<RoleOfHeads> HeadsByRole(const Ui& ui, const HeadsFrame& frame) {
  std::vector<RoleOfHeads> roles;
  for (const Role& role : kRoles) {
    roles.push_back({std::string(role.id), {}});
  }
  const auto heads_of = [&roles](const std::string& role) -> std::vector<HeadOfRole>& {
    auto found = std::ranges::find(roles, role, &RoleOfHeads::role);
    return found != roles.end() ? found->heads : roles.emplace_back(role).heads;
  };
  const FlagSheet& flags = FlagsInView(ui.state);
  for (std::size_t place = 0; place < frame.heads.count(); ++place) {
    const HeadIndex head = frame.heads.At(place);
    if (!IsShown(ui, head, frame.suggestions)) {
      continue;
    }
    const HeadFlag* const flag = FindFlag(flags, head);
    bool is_told = false;
    for (const Suggestion* const one : frame.suggestions.Of(head)) {
      const bool is_flagged = flag != nullptr && flag->role == one->role;
      is_told = is_told || is_flagged;
      heads_of(one->role).push_back({head, is_flagged ? flag : nullptr, one});
    }
    if (flag != nullptr && !is_told) {
      heads_of(flag->role).push_back({head, flag, nullptr});
    }
  }
  std::erase_if(roles, [](const RoleOfHeads& role) { return role.heads.empty(); });
  return roles;
}

// "puts .93 ± .01 of its attention on the token before": evidence up to its controls.
std::string PlainEvidence(const HeadOfRole& one) {
  if (one.suggestion == nullptr) {
    return one.flag->note.empty() ? "labelled by a person; the scan does not suggest it"
                                  : one.flag->note;
  }
  std::string words = one.suggestion->why.substr(0, one.suggestion->why.find(';'));
  const std::string name = HeadName(one.head) + " ";
  return words.starts_with(name) ? words.substr(name.size()) : words;
}

std::string EvidenceInFull(const HeadOfRole& one) {
  if (one.suggestion == nullptr) {
    return "";
  }
  return fmt::format("{} ({}).",
                     one.suggestion->why,
                     one.suggestion->from.empty() ? VerdictName(one.suggestion->verdict)
                                                  : "from " + one.suggestion->from);
}

// Words of the open text; empty while they are looked for, or where it has none.
std::string ExamplesOf(Ui* ui, const HeadOfRole& one, const std::string& role, std::size_t* found) {
  const LayerView view = LayerAt(ui->state, one.head.layer);
  if (view.layer == nullptr || view.keys != nullptr || view.target != nullptr ||
      view.source == nullptr) {
    return "";
  }
  const MapView map{view.layer, one.head.head};
  auto& kept = ui->memory->role_examples;
  for (const RoleExamples& each : kept) {
    if (each.map == map && each.role == role) {
      return each.words;
    }
  }
  if (++*found > kNewInAFrame) {
    ui->WakeIn(0.0);
    return "";
  }
  const std::string metric = one.suggestion != nullptr ? one.suggestion->metric : "";
  const HeadRole asked{.role = role, .metric = metric, .is_flag = one.suggestion == nullptr};
  std::string words;
  for (const RoleCell& cell : CellsOfRole(map, *view.source, asked, kExamplesOfRole)) {
    words += (words.empty() ? "" : "   ") + RoleCellInWords(*view.source, cell);
  }
  if (kept.size() >= kMostExamplesKept) {
    kept.clear();
  }
  kept.push_back({map, role, words});
  return words;
}

void DrawHeadOfRole(Pen* pen,
                    const HeadsFrame& frame,
                    const std::string& role,
                    const HeadOfRole& one,
                    bool is_seen,
                    std::size_t* found) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const std::string id = HeadName(one.head) + role;
  const bool is_open = ui->memory->open_roles.contains(id);
  const std::string full = is_open ? EvidenceInFull(one) : "";
  const float left = ui->Px(92.0F);
  const float width = pen->width - left - ui->Px(40.0F);
  const float below =
      full.empty() ? 0.0F : ParagraphHeight(*ui, full, width, Type::kSmall) + ui->Px(6.0F);
  const Rect place = pen->Take(ui->Px(46.0F) + below);
  if (!is_seen) {
    return;
  }
  const float fold = ui->Px(28.0F);
  const Rect body{place.x, place.y, place.width - fold, place.height};
  const Pressed pressed = Area(ui, id.c_str(), body, "");
  const bool is_selected = one.head == ui->state.selection.head;
  if (is_selected || pressed.hovered) {
    FillRect(*ui, place, colors.raised, 7.0F);
  }
  Row first(ui, {place.x + ui->Px(10.0F), place.y + ui->Px(3.0F), place.width, ui->Px(20.0F)});
  const Rect dot = first.Left(ui->Px(16.0F));
  DrawRoleDot(*ui, dot.x + ui->Px(4.0F), dot.y + dot.height / 2.0F, one.head, frame.suggestions);
  first.Text(HeadName(one.head), Type::kMono, is_selected ? colors.accent : colors.text);
  const Rect words{place.x + left, first.whole().y, width, first.whole().height};
  DrawBeginning(*ui, words, PlainEvidence(one), Type::kBody, colors.text, width);
  const std::string examples = ExamplesOf(ui, one, role, found);
  const Rect second{words.x, words.y + ui->Px(20.0F), width, words.height};
  DrawBeginning(*ui,
                second,
                examples.empty() ? "no example in the open text" : "here: " + examples,
                Type::kSmall,
                examples.empty() ? colors.dim : colors.muted,
                width);
  if (!full.empty()) {
    DrawParagraph(*ui, words.x, place.y + ui->Px(45.0F), width, full, Type::kSmall, colors.muted);
  }
  if (one.suggestion != nullptr &&
      Button(ui,
             ("fold " + id).c_str(),
             {body.x + body.width, place.y + ui->Px(4.0F), fold - ui->Px(4.0F), ui->Px(24.0F)},
             {.text = is_open ? "▾" : "▸", .tooltip = "The evidence in full", .bare = true})) {
    if (is_open) {
      ui->memory->open_roles.erase(id);
    } else {
      ui->memory->open_roles.insert(id);
    }
  }
  if (pressed.hovered) {
    PointAtHead(ui, frame, one.head, pressed.clicked);
  }
}

}  // namespace

void DrawHeadsRoles(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const std::vector<RoleOfHeads> roles = HeadsByRole(*ui, frame);
  if (roles.empty()) {
    DrawWordsInstead(ui,
                     area,
                     frame.report.is_whole() ? "No head has a role: nobody labelled one, and the "
                                               "scan suggests none."
                                             : "No role yet: the scan goes on.");
    return;
  }
  BeginScroll("roles", area);
  const float pad = ui->Px(18.0F);
  const float top = area.y + ui->Px(10.0F) - ImGui::GetScrollY();
  Pen pen{ui, area.x + pad, top, area.width - 2.0F * pad};
  std::size_t found = 0;
  for (const RoleOfHeads& role : roles) {
    const Role* const known = FindRole(role.role);
    Row title = pen.Line(30.0F);
    const Rect swatch = title.Left(ui->Px(20.0F));
    FillRect(*ui,
             {swatch.x + ui->Px(4.0F), swatch.y + ui->Px(10.0F), ui->Px(10.0F), ui->Px(10.0F)},
             ColorOfRole(role.role),
             3.0F);
    title.Text(role.role, Type::kBold, ui->colors().text);
    title.Skip(10.0F);
    title.Text(fmt::format("{}{}{}",
                           Counted(std::ssize(role.heads), "head"),
                           known != nullptr ? " · " : "",
                           known != nullptr ? known->meaning : ""),
               Type::kSmall,
               ui->colors().muted);
    for (const HeadOfRole& one : role.heads) {
      const bool is_seen = pen.y + ui->Px(400.0F) >= area.y && pen.y <= area.y + area.height;
      DrawHeadOfRole(&pen, frame, role.role, one, is_seen, &found);
    }
    pen.Skip(12.0F);
  }
  ImGui::SetCursorScreenPos({area.x, pen.y});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope
