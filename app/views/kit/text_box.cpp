#include "app/views/kit/text_box.h"

#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // as much as a dropped text may have

// The words at the right end, and before them a cross that empties the box; what is left of `rect`.
Rect DrawNote(Ui* ui, Rect rect, const TextBox& box) {
  if (rect.width <= ui->Px(box.least_beside_note)) {
    return rect;
  }
  if (!box.note.empty()) {
    const float width = NumberWidth(*ui, box.note) + ui->Px(26.0F);
    rect.width -= width;
    DrawNumber(*ui,
               rect.x + rect.width + ui->Px(12.0F),
               rect.y + (rect.height - ui->Px(14.0F)) / 2.0F,
               box.note,
               ui->colors().dim);
    if (!box.note_tooltip.empty()) {
      const std::string id = "note of " + box.name;
      Area(ui, id.c_str(), {rect.x + rect.width, rect.y, width, rect.height}, box.note_tooltip);
    }
  }
  if (!box.clear_tooltip.empty()) {
    const float side = ui->Px(24.0F);
    rect.width -= side;
    const std::string id = "empty " + box.name;
    if (Button(ui,
               id.c_str(),
               {rect.x + rect.width, rect.y + (rect.height - side) / 2.0F, side, side},
               {.text = "×", .tooltip = box.clear_tooltip, .bare = true})) {
      ui->Do(box.edit(""));
    }
  }
  return rect;
}

}  // namespace

void DrawTextBox(Ui* ui, const Rect& rect, const TextBox& box) {
  const ThemeColors& colors = ui->colors();
  FillRect(*ui, rect, colors.background, 7.0F);
  const Rect field = DrawNote(ui, rect, box);
  const auto edited = DrawField(ui,
                                box.name,
                                field,
                                box.text,
                                {.hint = box.hint,
                                 .hint_color = box.hint_color,
                                 .tooltip = box.tooltip,
                                 .rules = {.most_bytes = kMostBytes}});
  const bool has_keys = ui->memory->fields.IsFocused(box.name);
  FrameRect(*ui, rect, has_keys ? colors.accent : colors.line, 7.0F);
  if (edited) {
    ui->Do(box.edit(*edited));
  }
}

}  // namespace headscope
