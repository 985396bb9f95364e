#include "app/views/sentence_box.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/state/queries.h"
#include "app/views/keys.h"
#include "app/views/panels.h"
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

std::string OneLine(std::string text) {
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

std::string TextOf(const InputText& input) {
  if (!input.ids.empty()) {
    std::string text = "ids:";
    for (std::size_t i = 0; i < std::min<std::size_t>(input.ids.size(), 64); ++i) {
      text += fmt::format("{}{}", i == 0 ? " " : ", ", input.ids[i]);
    }
    return input.ids.size() > 64 ? text + ", …" : text;
  }
  return input.pair ? input.text + "  |  " + *input.pair : input.text;
}

// As much of a text as one line can show.
std::string Beginning(const std::string& text) {
  constexpr std::size_t kMost = 1024;
  std::size_t end = std::min(text.size(), kMost);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return end < text.size() ? text.substr(0, end) + "…" : text;
}

// A text that the field would harm, as it reads, with what to do about it.
void DrawAsLabel(Ui* ui, const Rect& rect, const char* why) {
  const ThemeColors& colors = ui->colors();
  Area(ui, "sentence label", rect, why);
  const float hint = ui->Px(72.0F);
  Rect inner = Inset(rect, ui->Px(12.0F), 0.0F);
  inner.width -= hint;
  DrawTextIn(*ui,
             inner,
             OneLine(Beginning(TextOf(ui->state.input))),
             Type::kBody,
             colors.text,
             inner.width);
  const ButtonLook clear{.text = "Clear",
                         .tooltip = "Start a new text here; this one is left in its file",
                         .type = Type::kSmall};
  const float width = ButtonWidth(*ui, clear);
  const Rect button{rect.x + rect.width - width - ui->Px(6.0F),
                    rect.y + ui->Px(6.0F),
                    width,
                    rect.height - ui->Px(12.0F)};
  ImGui::SetItemAllowOverlap();
  if (Button(ui, "clear sentence", button, clear)) {
    ui->Do(EditText{""});
    ui->memory->focus_sentence = true;
  }
}

// A pasted text that the field cannot hold goes in past it, whole.
bool PasteAround(Ui* ui) {
  if (!ui->memory->sentence_active || !IsCtrlPressed(*ui, 'V')) {
    return false;
  }
  const char* clipboard = ImGui::GetClipboardText();
  if (clipboard == nullptr || FieldCanHold(clipboard)) {
    return false;
  }
  ui->Do(SetInput{InputText{.text = clipboard, .pair = {}, .ids = {}}});
  return true;
}

void DrawField(Ui* ui, const Rect& rect, float width) {
  ViewMemory& memory = *ui->memory;
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::SetNextItemWidth(width);
  const float pad = (rect.height - ImGui::GetFontSize()) / 2.0F;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui->Px(12.0F), pad));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0U);
  ImGui::PushStyleColor(ImGuiCol_FrameBgHovered, 0U);
  ImGui::PushStyleColor(ImGuiCol_FrameBgActive, 0U);
  if (memory.focus_sentence) {
    ImGui::SetKeyboardFocusHere();
    memory.focus_sentence = false;
  }
  std::string text = ui->state.input.text;
  if (ImGui::InputTextWithHint("##sentence", "Type a sentence", &text)) {
    ui->Do(EditText{text});
  }
  memory.sentence_active = ImGui::IsItemActive();
  TooltipForItem(ui,
                 ImGui::GetID("##sentence"),
                 ImGui::IsItemHovered() && !memory.sentence_active,
                 "The heads follow as you type (/ or Ctrl+L goes here)");
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
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

void DrawSentence(Ui* ui, const Rect& rect) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  ViewMemory& memory = *ui->memory;
  FillRect(*ui, rect, colors.background, 7.0F);
  FrameRect(*ui, rect, memory.sentence_active ? colors.accent : colors.line, 7.0F);

  const InputText& input = state.input;
  const bool held = input.ids.empty() && !input.pair && FieldCanHold(input.text);
  const bool plain = held && IsPlainForField(input.text);
  const bool escaped = memory.sentence_active && IsPressed(*ui, Key::kEscape);
  if (!held) {
    memory.sentence_active = false;
    DrawAsLabel(ui,
                rect,
                "This text has more than the box can edit (several lines, right-to-left or rare "
                "characters, ids or a pair). It is run exactly as it is.");
    return;
  }

  std::string count;
  const auto& encoding =
      state.pending.encoding != nullptr ? state.pending.encoding : state.shown.encoding;
  if (encoding != nullptr && NoticeAt(state, ErrorPlace::kText) == nullptr) {
    const std::size_t tokens = encoding->tokens.size();
    count = fmt::format("{} token{}", tokens, tokens == 1 ? "" : "s");
  }
  const float count_width = rect.width > ui->Px(260.0F) && !count.empty()
                                ? NumberWidth(*ui, count) + ui->Px(26.0F)
                                : 0.0F;
  if (count_width > 0.0F) {
    DrawNumber(*ui,
               rect.x + rect.width - count_width + ui->Px(12.0F),
               rect.y + (rect.height - ui->Px(14.0F)) / 2.0F,
               count,
               colors.dim);
  }
  if (!plain && !memory.sentence_active && !memory.focus_sentence) {
    Rect inner = rect;
    inner.width -= count_width;
    const Pressed area = Area(ui, "sentence label", inner, "Click to edit (/)");
    inner.x += ui->Px(12.0F);
    DrawTextIn(
        *ui, inner, Beginning(input.text), Type::kBody, colors.text, inner.width - ui->Px(14.0F));
    memory.focus_sentence = area.clicked;
    if (area.clicked) {
      ui->WakeIn(0.0);
    }
    return;
  }
  // ImGui's field takes Esc as "undo all": left out for this frame, it keeps the text and lets go.
  if (escaped || PasteAround(ui)) {
    memory.sentence_active = false;
    Rect inner = rect;
    inner.x += ui->Px(12.0F);
    DrawTextIn(
        *ui, inner, Beginning(input.text), Type::kBody, colors.text, rect.width - count_width);
    return;
  }
  DrawField(ui, rect, rect.width - count_width);
}

}  // namespace headscope
