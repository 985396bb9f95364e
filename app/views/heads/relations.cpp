// The best head of each grammatical relation, in a table.
#include <array>
#include <string>

#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/widgets.h"
#include "core/heads/flags/score_tables.h"

namespace headscope {
namespace {

constexpr float kRelationLine = 22.0F;  // unscaled, as the widths
// Of the table's columns; the second takes what the others leave.
constexpr std::array<float, 7> kRelationWidths = {92.0F, 0.0F, 76.0F, 64.0F, 56.0F, 72.0F, 60.0F};
constexpr std::size_t kHeadColumn = 2;
constexpr float kLeastLooks = 130.0F;

float LooksWidth(const Ui& ui, float width) {
  float rest = width;
  for (const float each : kRelationWidths) {
    rest -= ui.Px(each);
  }
  return std::max(ui.Px(kLeastLooks), rest);
}

void DrawRelationRow(Ui* ui,
                     Row row,
                     const Table& table,
                     const std::vector<TableCell>& cells,
                     float looks,
                     bool is_names,
                     bool is_selected) {
  const ThemeColors& colors = ui->colors();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const float width = i == 1 ? looks : ui->Px(kRelationWidths.at(i));
    const bool is_words = i == 0 || i == 1;
    const Type type = is_names || is_words ? Type::kSmall : Type::kMonoSmall;
    const Rgb color = is_names                               ? colors.dim
                      : i == kHeadColumn && is_selected      ? colors.accent
                      : i == 0 || i == kHeadColumn || i == 3 ? colors.text
                                                             : colors.muted;
    if (table.columns[i].is_number) {
      row.CellRight(width, cells[i].words, type, color);
    } else {
      row.Cell(width, cells[i].words, type, color, 8.0F);
    }
  }
}

}  // namespace

void DrawHeadsRelations(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const std::array models = {ScannedModel{.name = "", .report = &frame.report}};
  const Table table = RelationTable(models);
  if (table.rows.empty()) {
    DrawWordsInstead(ui,
                     area,
                     "No relation has ten pairs yet: they need annotated sentences, which the scan "
                     "reads after its first texts.");
    return;
  }
  const float pad = ui->Px(18.0F);
  const float line = ui->Px(kRelationLine);
  const float width = area.width - 2.0F * pad;
  const float looks = LooksWidth(*ui, width);
  float y = area.y + ui->Px(10.0F);
  y += DrawParagraph(
      *ui, area.x + pad, y, width, table.caption, Type::kSmall, ui->colors().muted, 3);
  y += ui->Px(6.0F);
  std::vector<TableCell> names;
  for (const TableColumn& column : table.columns) {
    names.push_back({column.name});
  }
  const Rect names_row{area.x + pad, y, width, line};
  const Rect body{area.x, y + line, area.width, area.y + area.height - y - line};
  if (body.height < line) {
    return;
  }
  BeginScroll("heads relations", body, true);
  float content = looks + 2.0F * pad;
  for (const float each : kRelationWidths) {
    content += ui->Px(each);
  }
  ImGui::Dummy({content > area.width ? content : 1.0F,
                line * static_cast<float>(table.rows.size()) + ui->Px(8.0F)});
  const float scroll = ImGui::GetScrollY();
  const float aside = ImGui::GetScrollX();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const float top = body.y + line * static_cast<float>(i) - scroll;
    if (top + line < body.y || top > body.y + body.height) {
      continue;
    }
    const Rect place{area.x + pad - aside, top, std::max(width, content - 2.0F * pad), line};
    const Pressed pressed = Area(ui, "relation", static_cast<int>(i), place, "");
    const auto head = ParseHeadName(table.rows[i][kHeadColumn].words);
    const bool is_selected = head == ui->state.selection.head;
    if (is_selected || pressed.hovered) {
      FillRect(*ui, Inset(place, -ui->Px(8.0F), 0.0F), ui->colors().raised, 5.0F);
    }
    DrawRelationRow(ui, {ui, place}, table, table.rows[i], looks, false, is_selected);
    if (pressed.hovered && head) {
      PointAtHead(ui, frame, *head, pressed.clicked);
    }
  }
  EndScroll();
  Rect shifted = names_row;
  shifted.x -= aside;
  ImGui::PushClipRect({area.x, area.y}, {area.x + area.width, area.y + area.height}, true);
  DrawRelationRow(ui, {ui, shifted}, table, names, looks, true, false);
  ImGui::PopClipRect();
}

}  // namespace headscope
