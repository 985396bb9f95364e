#include "app/views/text_box.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/views/keys.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

constexpr std::uint32_t kBroken = 0xFFFFFFFFU;

// The next code point; kBroken where the bytes are not UTF-8.
std::uint32_t NextCodePoint(std::string_view* text) {
  const auto byte = [text](std::size_t i) {
    return i < text->size() ? static_cast<unsigned char>((*text)[i]) : 0U;
  };
  const std::uint32_t first = byte(0);
  std::size_t length = 1;
  std::uint32_t code = first;
  if (first >= 0xF0U) {
    length = 4;
    code = first & 0x07U;
  } else if (first >= 0xE0U) {
    length = 3;
    code = first & 0x0FU;
  } else if (first >= 0xC0U) {
    length = 2;
    code = first & 0x1FU;
  } else if (first >= 0x80U) {
    code = kBroken;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      text->remove_prefix(1);
      return kBroken;
    }
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  text->remove_prefix(std::min(length, text->size()));
  return code;
}

bool RunsRightToLeft(std::uint32_t code) {
  return (code >= 0x0590U && code <= 0x08FFU) || (code >= 0xFB1DU && code <= 0xFDFFU) ||
         (code >= 0xFE70U && code <= 0xFEFFU) || code == 0x200FU ||
         (code >= 0x202AU && code <= 0x202EU) || (code >= 0x2066U && code <= 0x2069U);
}

std::string OneLine(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += " ⏎ ";
    } else if (c != '\r') {
      out += c == '\t' ? ' ' : c;
    }
  }
  return out;
}

// As much of a text as one line can show.
std::string Beginning(const std::string& text) {
  constexpr std::size_t kMost = 1024;
  std::size_t end = std::min(text.size(), kMost);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return OneLine(end < text.size() ? text.substr(0, end) + "…" : text);
}

// A text that the field would harm, as it reads, with what to do about it.
void DrawAsLabel(Ui* ui, const Rect& rect, const TextBox& box, TextBoxMemory* memory) {
  const std::string label = box.name + " label";
  Area(ui, label.c_str(), rect, box.why_whole);
  const float hint = ui->Px(72.0F);
  Rect inner = Inset(rect, ui->Px(12.0F), 0.0F);
  inner.width -= hint;
  DrawTextIn(*ui, inner, Beginning(box.text), Type::kBody, ui->colors().text, inner.width);
  const ButtonLook clear{.text = "Clear",
                         .tooltip = "Start a new text here; this one is left in its file",
                         .type = Type::kSmall};
  const float width = ButtonWidth(*ui, clear);
  const Rect button{rect.x + rect.width - width - ui->Px(6.0F),
                    rect.y + ui->Px(6.0F),
                    width,
                    rect.height - ui->Px(12.0F)};
  ImGui::SetItemAllowOverlap();
  const std::string id = "clear " + box.name;
  if (Button(ui, id.c_str(), button, clear)) {
    ui->Do(box.edit(""));
    memory->focus = true;
  }
}

// A pasted text that the field cannot hold goes in past it, whole.
bool PasteAround(Ui* ui, const TextBox& box, const TextBoxMemory& memory) {
  if (!memory.active || !IsCtrlPressed(*ui, 'V')) {
    return false;
  }
  const char* clipboard = ImGui::GetClipboardText();
  if (clipboard == nullptr || FieldCanHold(clipboard)) {
    return false;
  }
  ui->Do(box.edit(clipboard));
  return true;
}

void DrawField(Ui* ui, const Rect& rect, const TextBox& box, TextBoxMemory* memory) {
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::SetNextItemWidth(rect.width);
  const float pad = (rect.height - ImGui::GetFontSize()) / 2.0F;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui->Px(12.0F), pad));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0U);
  ImGui::PushStyleColor(ImGuiCol_FrameBgHovered, 0U);
  ImGui::PushStyleColor(ImGuiCol_FrameBgActive, 0U);
  if (memory->focus) {
    ImGui::SetKeyboardFocusHere();
    memory->focus = false;
  }
  const std::string id = "##" + box.name;
  std::string text = box.text;
  if (ImGui::InputText(id.c_str(), &text)) {
    ui->Do(box.edit(text));
  }
  memory->active = ImGui::IsItemActive();
  TooltipForItem(
      ui, ImGui::GetID(id.c_str()), ImGui::IsItemHovered() && !memory->active, box.tooltip);
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
}

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

bool FieldCanHold(std::string_view utf8) {
  while (!utf8.empty()) {
    const std::uint32_t code = NextCodePoint(&utf8);
    if (code > 0xFFFFU || code < 0x20U || code == 0x7FU || RunsRightToLeft(code)) {
      return false;
    }
  }
  return true;
}

// Latin, Greek, Cyrillic and punctuation: what the window's own fonts have.
bool IsPlainForField(std::string_view utf8) {
  while (!utf8.empty()) {
    const std::uint32_t code = NextCodePoint(&utf8);
    const bool known = code < 0x250U || (code >= 0x370U && code < 0x460U) ||
                       (code >= 0x2010U && code < 0x2060U) || code == 0x20ACU;
    if (!known) {
      return false;
    }
  }
  return true;
}

void DrawTextBox(Ui* ui, const Rect& rect, const TextBox& box, TextBoxMemory* memory) {
  const ThemeColors& colors = ui->colors();
  FillRect(*ui, rect, colors.background, 7.0F);
  FrameRect(*ui, rect, memory->active ? colors.accent : colors.line, 7.0F);
  if (box.is_whole || !FieldCanHold(box.text)) {
    memory->active = false;
    DrawAsLabel(ui, rect, box, memory);
    return;
  }
  const bool escaped = memory->active && IsPressed(*ui, Key::kEscape);
  const Rect field = DrawNote(ui, rect, box);
  Rect words = field;
  words.x += ui->Px(12.0F);
  words.width -= ui->Px(14.0F);
  if (box.text.empty()) {
    DrawTextIn(*ui, words, Beginning(box.hint), Type::kBody, box.hint_color, words.width);
  }
  if (!IsPlainForField(box.text) && !memory->active && !memory->focus) {
    const std::string label = box.name + " label";
    const Pressed area = Area(ui, label.c_str(), field, "Click to edit");
    DrawTextIn(*ui, words, Beginning(box.text), Type::kBody, colors.text, words.width);
    memory->focus = area.clicked;
    if (area.clicked) {
      ui->WakeIn(0.0);
    }
    return;
  }
  // ImGui's field takes Esc as "undo all": left out for this frame, it keeps the text and lets go.
  if (escaped || PasteAround(ui, box, *memory)) {
    memory->active = false;
    DrawTextIn(*ui, words, Beginning(box.text), Type::kBody, colors.text, words.width);
    return;
  }
  DrawField(ui, field, box, memory);
}

}  // namespace headscope
