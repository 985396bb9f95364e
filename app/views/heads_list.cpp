// The heads in a list: sorted by the name or by any number of the chosen metric.
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/detail_header.h"
#include "app/views/heads_panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

constexpr float kListLine = 22.0F;  // unscaled

struct ListColumn {
  HeadsOrder order;
  const char* name;
  const char* tooltip;
  float width;  // unscaled; numbers end at its right
};
constexpr std::array<ListColumn, 6> kListColumns = {{
    {HeadsOrder::kName, "head", "Layer and head", 62.0F},
    {HeadsOrder::kScore, "score", "Of the chosen metric", 76.0F},
    {HeadsOrder::kError, "±", "Standard error over sequences or sentences", 60.0F},
    {HeadsOrder::kChance, "chance", "What even attention gives over the same rows", 66.0F},
    {HeadsOrder::kControl, "control", "What the metric is held against besides", 72.0F},
    {HeadsOrder::kRows, "cases", "Rows that qualify, or pairs of words", 66.0F},
}};

std::string CellOf(const ScoredMetric& metric, const HeadScore& score, HeadsOrder order) {
  const auto number = [&](const std::optional<double>& value) {
    return value ? ScoreText(metric, *value) : std::string("–");
  };
  switch (order) {
    case HeadsOrder::kScore:
      return number(score.score);
    case HeadsOrder::kError:
      return number(score.error);
    case HeadsOrder::kChance:
      return number(score.chance);
    case HeadsOrder::kControl:
      return number(score.control);
    case HeadsOrder::kRows:
      return fmt::format("{}", score.rows);
    case HeadsOrder::kName:
      break;
  }
  return "";
}

// "⚑ positional · positional (strong), induction (borderline)"
std::string RolesOf(const Ui& ui, HeadIndex head, const HeadSuggestions& suggestions) {
  std::string words;
  if (const HeadFlag* flag = FindFlag(FlagsInView(ui.state), head)) {
    words = "flagged " + RoleLabel(flag->role);
  }
  for (const Suggestion* one : suggestions.Of(head)) {
    words += fmt::format("{}{}{}",
                         words.empty() ? "" : " · ",
                         RoleLabel(one->role),
                         !one->from.empty()                     ? " (another model)"
                         : one->verdict == Verdict::kBorderline ? " (borderline)"
                                                                : "");
  }
  return words;
}

void DrawRows(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  const ScoredMetric& metric = *frame.metric;
  const HeadsLook& look = ui->state.heads_look;
  const float pad = ui->Px(18.0F);
  const float line = ui->Px(kListLine);
  const float x = area.x + pad;
  float y = area.y + ui->Px(10.0F);
  DrawTextIn(*ui,
             {x, y, area.width - 2.0F * pad, line},
             fmt::format("{} on {}: {}", metric.name, SourceOf(frame.report, metric), metric.about),
             Type::kSmall,
             colors.muted,
             area.width - 2.0F * pad);
  y += line;
  float right = x;
  for (const ListColumn& column : kListColumns) {
    const float width = ui->Px(column.width);
    const Rect place{right, y, width, line};
    const bool is_order = look.order == column.order;
    ImGui::PushID(column.name);
    const Pressed pressed = Area(ui, "column", place, column.tooltip);
    ImGui::PopID();
    const std::string name =
        std::string(column.name) + (is_order ? (look.is_ascending ? " ↑" : " ↓") : "");
    const Rgb color = is_order ? colors.accent : pressed.hovered ? colors.text : colors.dim;
    const bool is_name = column.order == HeadsOrder::kName;
    const float text = TextWidth(*ui, name, Type::kSmall);
    DrawTextIn(
        *ui, {is_name ? right : right + width - text, y, text, line}, name, Type::kSmall, color);
    if (pressed.clicked) {
      ui->Do(SortHeads{column.order});
    }
    right += width;
  }
  const float roles = right + ui->Px(16.0F);
  DrawTextIn(*ui, {roles, y, 0.0F, line}, "roles", Type::kSmall, colors.dim);
  y += line + ui->Px(2.0F);
  const Rect body{area.x, y, area.width, area.y + area.height - y};
  if (body.height < line) {
    return;
  }
  std::vector<std::size_t> order = InOrder(metric, look);
  std::erase_if(order, [&](std::size_t place) {
    return !IsShown(*ui, frame.heads.At(place), frame.suggestions);
  });
  BeginScroll("heads list", body);
  ImGui::Dummy({1.0F, line * static_cast<float>(order.size()) + ui->Px(8.0F)});
  const float scroll = ImGui::GetScrollY();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const float top = body.y + line * static_cast<float>(i) - scroll;
    if (top + line < body.y || top > body.y + body.height) {
      continue;
    }
    const HeadIndex head = frame.heads.At(order[i]);
    const Rect row{x - ui->Px(8.0F), top, area.width - 2.0F * pad + ui->Px(16.0F), line};
    ImGui::PushID(static_cast<int>(order[i]));
    const Pressed pressed = Area(ui, "row", row, "");
    ImGui::PopID();
    const bool is_selected = head == ui->state.selection.head;
    if (is_selected || pressed.hovered) {
      FillRect(*ui, row, colors.raised, 5.0F);
    }
    float end = x;
    for (const ListColumn& column : kListColumns) {
      end += ui->Px(column.width);
      if (column.order == HeadsOrder::kName) {
        DrawTextIn(*ui,
                   {x, top, ui->Px(column.width), line},
                   HeadName(head),
                   Type::kMonoSmall,
                   is_selected ? colors.accent : colors.text);
        continue;
      }
      const std::string cell = CellOf(metric, metric.scores->heads[order[i]], column.order);
      const float width = TextWidth(*ui, cell, Type::kMonoSmall);
      DrawTextIn(*ui,
                 {end - width, top, width, line},
                 cell,
                 Type::kMonoSmall,
                 column.order == HeadsOrder::kScore ? colors.text : colors.muted);
    }
    DrawRoleDot(*ui, roles + ui->Px(2.0F), top + line / 2.0F, head, frame.suggestions);
    const std::string words = RolesOf(*ui, head, frame.suggestions);
    DrawTextIn(*ui,
               {roles + ui->Px(14.0F), top, 0.0F, line},
               words,
               Type::kSmall,
               colors.muted,
               std::max(ui->Px(20.0F), area.x + area.width - pad - roles - ui->Px(14.0F)));
    if (pressed.hovered) {
      PointAtHead(ui, frame, head, pressed.clicked);
    }
  }
  EndScroll();
}

}  // namespace

void DrawHeadsList(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  ImGui::PushClipRect({area.x, area.y}, {area.x + area.width, area.y + area.height}, true);
  DrawRows(ui, area, frame);
  ImGui::PopClipRect();
}

}  // namespace headscope
