// The heads in a list: sorted by the name or by any number of the chosen metric.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/reveal.h"
#include "app/views/kit/widgets.h"
#include "core/heads/flags/score_tables.h"

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

// The columns in less room than they need stand closer, and what still finds none is scrolled to.
class ListColumns {
 public:
  ListColumns(const Ui& ui, const Rect& area) : ui_(ui), pad_(ui.Px(18.0F)) {
    constexpr float kLeastPart = 0.85F;
    float natural = 0.0F;
    for (const ListColumn& column : kListColumns) {
      natural += ui.Px(column.width);
    }
    const float room = area.width - 2.0F * pad_ - ui.Px(kRolesGap + kLeastRoles);
    part_ = std::clamp(room / natural, kLeastPart, 1.0F);
    roles_ = natural * part_ + ui.Px(kRolesGap);
    content_ = std::max(area.width, 2.0F * pad_ + roles_ + ui.Px(kLeastRoles));
  }
  [[nodiscard]] float pad() const { return pad_; }
  [[nodiscard]] float Width(const ListColumn& column) const { return ui_.Px(column.width) * part_; }
  [[nodiscard]] float roles_width() const { return content_ - 2.0F * pad_ - roles_; }
  [[nodiscard]] float content() const { return content_; }
  static constexpr float kRolesGap = 16.0F;  // unscaled; between the last column and the roles

 private:
  static constexpr float kLeastRoles = 170.0F;  // unscaled, with their dot
  const Ui& ui_;
  float pad_;
  float part_ = 1.0F;
  float roles_ = 0.0F;
  float content_ = 0.0F;
};

void DrawListNames(Ui* ui, Row row, const ListColumns& columns) {
  const ThemeColors& colors = ui->colors();
  const HeadsLook& look = ui->state.heads_look;
  for (const ListColumn& column : kListColumns) {
    Row place(ui, row.Left(columns.Width(column)));
    const bool is_order = look.order == column.order;
    const Pressed pressed =
        Area(ui, "column", static_cast<int>(column.order), place.whole(), column.tooltip);
    const std::string name =
        std::string(column.name) + (is_order ? (look.is_ascending ? " ↑" : " ↓") : "");
    const Rgb color = is_order ? colors.accent : pressed.hovered ? colors.text : colors.dim;
    column.order == HeadsOrder::kName ? place.Text(name, Type::kSmall, color)
                                      : place.TextRight(name, Type::kSmall, color);
    if (pressed.clicked) {
      ui->Do(SortHeads{column.order});
    }
  }
  row.Skip(ListColumns::kRolesGap);
  row.Text("roles", Type::kSmall, colors.dim);
}

void DrawListRow(
    Ui* ui, Row row, const HeadsFrame& frame, std::size_t place, const ListColumns& columns) {
  const ThemeColors& colors = ui->colors();
  const ScoredMetric& metric = *frame.metric;
  const HeadIndex head = frame.heads.At(place);
  const Pressed pressed = Area(ui, "row", static_cast<int>(place), row.whole(), "");
  const bool is_selected = head == ui->state.selection.head;
  if (is_selected || pressed.hovered) {
    FillRect(*ui, row.whole(), colors.raised, 5.0F);
  }
  row.Skip(8.0F);
  for (const ListColumn& column : kListColumns) {
    const float width = columns.Width(column);
    if (column.order == HeadsOrder::kName) {
      row.Cell(width, HeadName(head), Type::kMonoSmall, is_selected ? colors.accent : colors.text);
    } else {
      row.CellRight(width,
                    ListWords(metric, metric.scores->heads[place], column.order),
                    Type::kMonoSmall,
                    column.order == HeadsOrder::kScore ? colors.text : colors.muted);
    }
  }
  row.Skip(ListColumns::kRolesGap);
  const Rect dot = row.Left(ui->Px(14.0F));
  DrawRoleDot(*ui, dot.x + ui->Px(2.0F), dot.y + dot.height / 2.0F, head, frame.suggestions);
  DrawBeginning(*ui,
                row.rest(),
                RolesOfHead(FlagsInView(ui->state), frame.suggestions, head),
                Type::kSmall,
                colors.muted,
                columns.roles_width() - ui->Px(14.0F));
  if (pressed.hovered) {
    PointAtHead(ui, frame, head, pressed.clicked);
  }
}

// While a scan goes on heads stay where they are, although their scores move.
const std::vector<std::size_t>& OrderOfList(Ui* ui, const ScoredMetric& metric) {
  KeptOrder& kept = ui->memory->list_order;
  const HeadsLook& look = ui->state.heads_look;
  const bool is_same = kept.metric == metric.id && kept.order == look.order &&
                       kept.is_ascending == look.is_ascending &&
                       kept.of == ui->state.scan.of.get() &&
                       kept.places.size() == metric.scores->heads.size();
  if (!is_same || ui->state.scan.request == 0) {
    kept = {.metric = metric.id,
            .order = look.order,
            .is_ascending = look.is_ascending,
            .of = ui->state.scan.of.get(),
            .places = InOrder(metric, look)};
  }
  return kept.places;
}

void DrawRows(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const ScoredMetric& metric = *frame.metric;
  const ListColumns columns(*ui, area);
  const float line = ui->Px(kListLine);
  const float words = area.width - 2.0F * columns.pad();
  Pen pen{ui, area.x + columns.pad(), area.y + ui->Px(10.0F), columns.content()};
  DrawBeginning(
      *ui,
      pen.Take(line),
      fmt::format("{} on {}: {}", metric.name, SourceOf(frame.report, metric), metric.about),
      Type::kSmall,
      ui->colors().muted,
      words);
  Rect names = pen.Take(line);
  pen.Skip(2.0F);
  const Rect body{area.x, pen.y, area.width, area.y + area.height - pen.y};
  if (body.height < line) {
    return;
  }
  std::vector<std::size_t> order = OrderOfList(ui, metric);
  std::erase_if(order, [&](std::size_t place) {
    return !IsShown(*ui, frame.heads.At(place), frame.suggestions);
  });
  BeginScroll("heads list", body, true);
  // Without a bar below where all columns are seen.
  const bool is_wide = columns.content() > area.width;
  ImGui::Dummy(
      {is_wide ? columns.content() : 1.0F, line * static_cast<float>(order.size()) + ui->Px(8.0F)});
  const float scroll = ImGui::GetScrollY();
  const float aside = ImGui::GetScrollX();
  const float width = columns.content() - 2.0F * columns.pad() + ui->Px(16.0F);
  const Selection& selection = ui->state.selection;
  const auto row = std::ranges::find_if(
      order, [&](std::size_t place) { return frame.heads.At(place) == selection.head; });
  if (row != order.end()) {
    const float top = body.y + line * static_cast<float>(row - order.begin()) - scroll;
    RevealHead(ui,
               {.view = "heads",
                .head = selection.head,
                .cell = {body.x, top, 1.0F, line},
                .seen = body,
                .is_chosen = selection.head_locked});
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const float top = body.y + line * static_cast<float>(i) - scroll;
    if (top + line >= body.y && top <= body.y + body.height) {
      const Rect place{pen.x - aside - ui->Px(8.0F), top, width, line};
      DrawListRow(ui, {ui, place}, frame, order[i], columns);
    }
  }
  EndScroll();
  names.x -= aside;
  DrawListNames(ui, {ui, names}, columns);
}

}  // namespace

void DrawHeadsList(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  ImGui::PushClipRect({area.x, area.y}, {area.x + area.width, area.y + area.height}, true);
  DrawRows(ui, area, frame);
  ImGui::PopClipRect();
}

}  // namespace headscope
