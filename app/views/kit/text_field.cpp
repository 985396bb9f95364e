#include "app/views/kit/text_field.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

// The state's text where it is another than this field's.
void TakeGiven(Field* field, std::string_view text, const TextRules& rules) {
  if (field->given == text && field->drawn >= 0) {
    return;
  }
  field->given = text;
  field->edit = TextEdit(rules);
  field->edit.Reset(text);
  field->given_revision = field->edit.revision();
  field->said.clear();
  field->Forget();
}

void TakeFocus(Ui* ui, const std::string& name, Field* field, const FieldLook& look) {
  TextFields& fields = ui->memory->fields;
  const bool by_nav = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  const bool asked = look.takes_keys != TakesKeys::kWhenClicked || (by_nav && !field->had_nav);
  field->had_nav = by_nav;
  if (!asked) {
    return;
  }
  fields.Focus(name);
  if (look.takes_keys == TakesKeys::kNowSelected) {
    field->edit.SelectAll();
  }
}

void Select(Ui* ui, Field* field, std::size_t place) {
  switch (ImGui::GetMouseClickedCount(ImGuiMouseButton_Left)) {
    case 1:
      field->edit.MoveTo(place, ImGui::GetIO().KeyShift ? Moves::kSelection : Moves::kCaret);
      field->drag = Field::Drag::kLetters;
      break;
    case 2:
      field->edit.Select(WordAt(field->edit.text(), place));
      field->drag = Field::Drag::kWords;
      field->dragged_from = field->edit.selection();
      break;
    default:
      field->edit.SelectAll();
      field->drag = Field::Drag::kNone;
      break;
  }
  field->follows_caret = true;
  ui->WakeIn(0.0);
}

void DragTo(Field* field, std::size_t place) {
  if (field->drag == Field::Drag::kLetters) {
    field->edit.MoveTo(place, Moves::kSelection);
  } else {
    const TextSpan word = WordAt(field->edit.text(), place);
    const TextSpan& from = field->dragged_from;
    field->edit.Select({std::min(from.begin, word.begin), std::max(from.end, word.end)});
  }
  field->follows_caret = true;
}

// The pointer, over the item that was drawn last.
void TakeMouse(Ui* ui, const std::string& name, Field* field, const Rect& inner) {
  TextFields& fields = ui->memory->fields;
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered();
  const auto under_pointer = [&] {
    return field->PlaceAt(static_cast<double>(io.MousePos.x - inner.x),
                          static_cast<double>(io.MousePos.y - inner.y));
  };
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    if (io.MouseWheel != 0.0F && field->edit.rules().many_lines) {
      field->Scroll(0.0, static_cast<double>(io.MouseWheel) * 2.0 * field->block().line_height());
    }
  }
  if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    const std::size_t place = under_pointer();
    fields.Focus(name);
    Select(ui, field, place);
  } else if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle) && ui->primary_selection) {
    const std::size_t place = under_pointer();
    fields.Focus(name);
    field->edit.MoveTo(place, Moves::kCaret);
    field->Paste(ui->primary_selection());
  } else if (ImGui::IsItemActive() && field->drag != Field::Drag::kNone) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2.0F)) {
      DragTo(field, under_pointer());
      const bool outside = io.MousePos.x < inner.x || io.MousePos.x > inner.x + inner.width ||
                           io.MousePos.y < inner.y || io.MousePos.y > inner.y + inner.height;
      if (outside) {
        ui->WakeIn(0.03);  // goes on scrolling while the pointer rests
      }
    }
  } else if (!hovered && fields.IsFocused(name) && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    fields.Leave();
  }
  if (ImGui::IsItemDeactivated() && field->edit.has_selection() && ui->set_primary_selection) {
    ui->set_primary_selection(std::string(field->edit.selected()));
  }
}

void DrawTextOf(Ui* ui, Field* field, const Rect& inner, bool focused) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ThemeColors& colors = ui->colors();
  list->PushClipRect(
      {inner.x - 1.0F, inner.y}, {inner.x + inner.width + 1.0F, inner.y + inner.height}, true);
  const auto [left, top] = field->origin();
  const TextSpan part = field->part();
  if (focused && field->edit.has_selection()) {
    TextSpan span = field->edit.selection();
    span.begin = std::clamp(span.begin, part.begin, part.end) - part.begin;
    span.end = std::clamp(span.end, part.begin, part.end) - part.begin;
    const std::uint32_t fill = ToImGui(Blend(colors.background, colors.accent, 0.35F));
    for (const PixelBox& box : field->block().Boxes(span)) {
      const auto x = inner.x + static_cast<float>(box.x + left);
      const auto y = inner.y + static_cast<float>(box.y + top);
      list->AddRectFilled(
          {x, y}, {x + static_cast<float>(box.width), y + static_cast<float>(box.height)}, fill);
    }
  }
  const TextPicture& picture = field->Drawn(colors.text);
  float x = std::round(inner.x);
  const float y = std::round(inner.y);
  for (const LabelTexture& label :
       ui->renderer->Picture(field->key(), field->picture_revision(), picture)) {
    if (label.texture != nullptr) {
      list->AddImage(label.texture,
                     {x, y},
                     {x + label.width, y + label.height},
                     {label.u0, label.v0},
                     {label.u1, label.v1});
    }
    x += label.width;
  }
  if (focused) {
    const PixelBox caret = field->Caret(field->edit.caret());
    const float width = std::max(1.0F, std::round(1.5F * ui->scale));
    const float at = std::round(inner.x + static_cast<float>(caret.x));
    const float from = inner.y + static_cast<float>(caret.y);
    list->AddRectFilled(
        {at, from}, {at + width, from + static_cast<float>(caret.height)}, ToImGui(colors.accent));
  }
  list->PopClipRect();
}

// What became of a paste, at the right end; the rest of `inner` is the text's.
Rect DrawSaid(Ui* ui, const Field& field, const Rect& inner) {
  if (field.said.empty()) {
    return inner;
  }
  const float width = std::min(TextWidth(*ui, field.said, Type::kSmall), inner.width * 0.6F);
  Rect rest = inner;
  rest.width -= width + ui->Px(10.0F);
  DrawTextIn(*ui,
             {inner.x + inner.width - width, inner.y, width, inner.height},
             field.said,
             Type::kSmall,
             ui->colors().muted,
             width);
  return rest;
}

// The place that is to be seen.
std::size_t Shown(const TextFields& fields,
                  const std::string& name,
                  const Field& field,
                  const FieldLook& look) {
  if (fields.IsFocused(name)) {
    return field.edit.caret();
  }
  return look.shows_end ? field.edit.text().size() : 0;
}

}  // namespace

std::optional<std::string> DrawField(Ui* ui,
                                     const std::string& name,
                                     const Rect& rect,
                                     std::string_view text,
                                     const FieldLook& look) {
  TextFields& fields = ui->memory->fields;
  Field& field = fields.Find(name);
  TakeGiven(&field, text, look.rules);
  fields.IsDrawn(name);
  field.in_dialog = look.in_dialog;
  const bool had_keys = fields.IsFocused(name);
  Area(ui, name.c_str(), rect, had_keys ? std::string_view() : look.tooltip);
  TakeFocus(ui, name, &field, look);

  const bool many = look.rules.many_lines;
  Rect inner = Inset(rect, ui->Px(look.pad), many ? ui->Px(6.0F) : 0.0F);
  inner = DrawSaid(ui, field, inner);
  inner.width = std::max(inner.width, ui->Px(8.0F));
  const FieldView view{.style = StyleOf(*ui, look.type),
                       .many_lines = many,
                       .width = static_cast<double>(inner.width),
                       .height = static_cast<double>(inner.height)};
  field.StandAt(inner.x, inner.y);
  const auto set = [&] { field.LayOut(view, Shown(fields, name, field, look)); };
  set();
  TakeMouse(ui, name, &field, inner);
  set();
  const bool focused = fields.IsFocused(name);
  if (!focused) {
    field.Show(Shown(fields, name, field, look));
  } else if (std::exchange(field.follows_caret, false)) {
    field.Show(field.edit.caret());
  }
  if (field.edit.text().empty() && !look.hint.empty()) {
    const Rgb color = look.hint_color.value_or(ui->colors().dim);
    const Rect line{inner.x, inner.y, inner.width, many ? ui->Px(20.0F) : inner.height};
    DrawTextIn(*ui, line, look.hint, look.type, color, inner.width);
  }
  DrawTextOf(ui, &field, inner, focused);
  if (field.edit.revision() == field.given_revision) {
    return std::nullopt;
  }
  field.given_revision = field.edit.revision();
  field.given = field.edit.text();
  return field.given;
}

bool DialogField(Ui* ui, const std::string& name, std::string* text, const DialogFieldLook& look) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 10;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float lines = static_cast<float>(look.lines) * LineHeight(*ui, Type::kBody);
  const Rect rect{at.x,
                  at.y,
                  ImGui::GetContentRegionAvail().x - look.beside,
                  look.lines == 1 ? ui->Px(30.0F) : lines + ui->Px(12.0F)};
  const ThemeColors& colors = ui->colors();
  FillRect(*ui, rect, colors.background, 7.0F);
  const auto edited = DrawField(ui,
                                name,
                                rect,
                                *text,
                                {.hint = look.hint,
                                 .rules = {.many_lines = look.lines > 1, .most_bytes = kMostBytes},
                                 .takes_keys = look.takes_keys,
                                 .in_dialog = true,
                                 .shows_end = look.shows_end,
                                 .pad = 8.0F});
  FrameRect(*ui, rect, ui->memory->fields.IsFocused(name) ? colors.accent : colors.line, 7.0F);
  if (edited) {
    *text = *edited;
  }
  return edited.has_value();
}

}  // namespace headscope
