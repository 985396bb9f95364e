#include "app/views/kit/widgets.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr double kTooltipDelay = 0.35;
constexpr float kRadius = 7.0F;

float KeyWidth(const Ui& ui, std::string_view key) {
  return key.empty() ? 0.0F : TextWidth(ui, key, Type::kMonoSmall) + ui.Px(18.0F);
}

}  // namespace

Rect FittedInto(const TextPicture& picture, const Rect& room) {
  const auto width = static_cast<float>(picture.width);
  const auto height = static_cast<float>(picture.height);
  const float part = std::min({1.0F, room.width / width, room.height / height});
  return {room.x, room.y, width * part, height * part};
}

void DrawPicture(Ui* ui,
                 std::uint64_t key,
                 std::uint64_t revision,
                 const TextPicture& picture,
                 const Rect& place,
                 bool is_dim) {
  const float part = place.width / static_cast<float>(picture.width);
  float x = place.x;
  for (const LabelTexture& texture : ui->renderer->Picture(key, revision, picture)) {
    const float right = x + texture.width * part;
    ImGui::GetWindowDrawList()->AddImage(texture.texture,
                                         {x, place.y},
                                         {right, place.y + texture.height * part},
                                         {texture.u0, texture.v0},
                                         {texture.u1, texture.v1},
                                         is_dim ? IM_COL32(255, 255, 255, 110) : IM_COL32_WHITE);
    x = right;
  }
  FrameRect(*ui, place, ui->colors().line, 0.0F);
}

void FillRect(const Ui& ui, const Rect& rect, Rgb color, float radius) {
  ImGui::GetWindowDrawList()->AddRectFilled({rect.x, rect.y},
                                            {rect.x + rect.width, rect.y + rect.height},
                                            ToImGui(color),
                                            radius * ui.scale);
}

void FrameRect(const Ui& ui, const Rect& rect, Rgb color, float radius, float thickness) {
  ImGui::GetWindowDrawList()->AddRect({rect.x, rect.y},
                                      {rect.x + rect.width, rect.y + rect.height},
                                      ToImGui(color),
                                      radius * ui.scale,
                                      0,
                                      std::max(1.0F, thickness * ui.scale));
}

void TooltipForItem(Ui* ui, std::uint32_t item, bool hovered, std::string_view text) {
  ViewMemory& memory = *ui->memory;
  if (!hovered) {
    if (memory.tooltip_item == item) {
      memory.tooltip_item = 0;
    }
    return;
  }
  if (text.empty()) {
    return;
  }
  if (memory.tooltip_item != item) {
    memory.tooltip_item = item;
    memory.tooltip_since_s = ui->now_s;
  }
  const double left = memory.tooltip_since_s + kTooltipDelay - ui->now_s;
  if (left > 0.0) {
    ui->WakeIn(left);
    return;
  }
  ImGui::BeginTooltip();
  TooltipText(ui, text);
  ImGui::EndTooltip();
}

void TooltipText(Ui* ui, std::string_view text) {
  constexpr int kMostLines = 24;
  const float most = ui->Px(340.0F);
  const bool is_short = text.size() < 200 && text.find('\n') == std::string_view::npos;
  const float width = is_short ? std::min(most, TextWidth(*ui, text, Type::kBody) + 1.0F) : most;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height =
      DrawParagraph(*ui, at.x, at.y, width, text, Type::kBody, ui->colors().text, kMostLines);
  ImGui::Dummy({width, height});
}

std::string Beginning(std::string_view utf8, std::size_t most_bytes) {
  if (utf8.size() <= most_bytes) {
    return std::string(utf8);
  }
  return std::string(utf8.substr(0, CharacterStart(utf8, most_bytes))) + "…";
}

Pressed Area(Ui* ui, const char* id, const Rect& rect, std::string_view tooltip) {
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  Pressed pressed;
  pressed.clicked =
      ImGui::InvisibleButton(id, {std::max(1.0F, rect.width), std::max(1.0F, rect.height)});
  pressed.hovered = ImGui::IsItemHovered();
  TooltipForItem(ui, ImGui::GetID(id), pressed.hovered, tooltip);
  return pressed;
}

Pressed Area(Ui* ui, const char* id, int which, const Rect& rect, std::string_view tooltip) {
  ImGui::PushID(which);
  const Pressed pressed = Area(ui, id, rect, tooltip);
  ImGui::PopID();
  return pressed;
}

int StepSlider(
    Ui* ui, const char* id, const Rect& rect, std::string_view tooltip, int count, int at) {
  constexpr float kKnob = 14.0F;
  const ThemeColors& colors = ui->colors();
  const float knob = ui->Px(kKnob);
  const float room = std::max(1.0F, rect.width - knob);
  const auto last = static_cast<float>(count - 1);
  const Pressed area = Area(ui, id, rect, tooltip);
  const bool held = ImGui::IsItemActive();
  if (held) {
    const float part = (ImGui::GetIO().MousePos.x - rect.x - knob / 2.0F) / room;
    at = static_cast<int>(std::lround(std::clamp(part, 0.0F, 1.0F) * last));
  }
  const float middle = rect.y + rect.height / 2.0F;
  FillRect(*ui, {rect.x, middle - ui->Px(2.0F), rect.width, ui->Px(4.0F)}, colors.raised, 2.0F);
  if (at >= 0 && at < count) {
    FillRect(*ui,
             {rect.x + static_cast<float>(at) / last * room, middle - knob / 2.0F, knob, knob},
             held || area.hovered ? colors.text : colors.accent,
             kKnob / 2.0F);
  }
  return held ? at : -1;
}

float ButtonWidth(const Ui& ui, const ButtonLook& look) {
  return TextWidth(ui, look.text, look.type) + KeyWidth(ui, look.key) + ui.Px(22.0F);
}

bool Button(Ui* ui, const char* id, const Rect& rect, const ButtonLook& look) {
  const Pressed pressed = Area(ui, id, rect, look.tooltip);
  const ThemeColors& colors = ui->colors();
  const bool lit = look.enabled && pressed.hovered;
  const Rgb surface = look.primary ? colors.accent : colors.raised;
  if (!look.bare || look.active || lit) {
    FillRect(*ui, rect, lit ? Blend(surface, colors.text, 0.08F) : surface, kRadius);
  }
  if (!look.bare) {
    FrameRect(*ui, rect, look.active ? colors.accent : colors.line, kRadius);
  }
  Rgb color = look.active ? colors.text : Blend(colors.muted, colors.text, look.bare ? 0.0F : 1.0F);
  if (look.primary) {
    color = ReadableOn(*ui, colors.accent);
  } else if (!look.enabled) {
    color = colors.dim;
  } else if (lit) {
    color = colors.text;
  }
  const float text_width = TextWidth(*ui, look.text, look.type);
  const float content = text_width + KeyWidth(*ui, look.key);
  Rect inner = rect;
  inner.x += std::max(0.0F, (rect.width - content) / 2.0F);
  DrawTextIn(*ui, inner, look.text, look.type, color, std::min(text_width, rect.width) + 1.0F);
  if (!look.key.empty()) {
    const float width = KeyWidth(*ui, look.key) - ui->Px(8.0F);
    const float height = ui->Px(18.0F);
    const Rect key{
        inner.x + text_width + ui->Px(8.0F), rect.y + (rect.height - height) / 2.0F, width, height};
    FrameRect(*ui, key, colors.line, 4.0F);
    Rect word = key;
    word.x += ui->Px(5.0F);
    DrawTextIn(*ui, word, look.key, Type::kMonoSmall, look.primary ? color : colors.muted);
  }
  return pressed.clicked && look.enabled;
}

void PopupButton(Ui* ui, const char* id, const Rect& rect, const ButtonLook& look, Popup popup) {
  if (Button(ui, id, rect, look)) {
    ui->memory->popup_anchor = rect;
    ui->Do(OpenPopup{popup});
  }
}

Rgb ChosenFill(const Ui& ui) {
  return Blend(ui.colors().raised, ui.colors().line, 0.6F);
}

float SegmentsWidth(const Ui& ui, std::span<const SegmentChoice> choices) {
  float width = 0.0F;
  for (const SegmentChoice& choice : choices) {
    width += TextWidth(ui, choice.text, Type::kBody) + ui.Px(18.0F);
  }
  return width;
}

int Segments(
    Ui* ui, const char* id, const Rect& rect, std::span<const SegmentChoice> choices, int chosen) {
  ImGui::PushID(id);
  const ThemeColors& colors = ui->colors();
  int pressed = -1;
  float x = rect.x;
  for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
    const SegmentChoice& choice = choices[static_cast<std::size_t>(i)];
    const float width = TextWidth(*ui, choice.text, Type::kBody) + ui->Px(18.0F);
    const Rect part{x, rect.y, width, rect.height};
    const Pressed area = Area(ui, "choice", i, part, choice.tooltip);
    if (area.clicked && choice.enabled) {
      pressed = i;
    }
    if (i == chosen) {
      FillRect(*ui, part, ChosenFill(*ui), kRadius);
    }
    Rect word = part;
    word.x += ui->Px(9.0F);
    DrawTextIn(*ui,
               word,
               choice.text,
               Type::kBody,
               !choice.enabled               ? colors.dim
               : i == chosen || area.hovered ? colors.text
                                             : colors.muted);
    x += width;
  }
  FrameRect(*ui, {rect.x, rect.y, x - rect.x, rect.height}, colors.line, kRadius);
  ImGui::PopID();
  return pressed;
}

float PillHeight(const Ui& ui) {
  return ui.Px(24.0F);
}

float Pill(const Ui& ui, float x, float y, Rgb swatch, std::string_view text) {
  const float height = PillHeight(ui);
  const float width = TextWidth(ui, text, Type::kSmall) + ui.Px(34.0F);
  const Rect rect{x, y, width, height};
  FillRect(ui, rect, Blend(ui.colors().panel, swatch, 0.14F), height);
  FrameRect(ui, rect, Blend(ui.colors().panel, swatch, 0.65F), height);
  ImGui::GetWindowDrawList()->AddCircleFilled(
      {x + ui.Px(14.0F), y + height / 2.0F}, ui.Px(5.0F), ToImGui(swatch));
  Rect word = rect;
  word.x += ui.Px(24.0F);
  DrawTextIn(ui, word, text, Type::kSmall, ui.colors().text);
  return width;
}

void FillGradient(const Rect& rect, std::span<const Rgb, kColormapSize> table, int steps) {
  const float step = rect.width / static_cast<float>(steps);
  for (int i = 0; i < steps; ++i) {
    const float left = rect.x + step * static_cast<float>(i);
    const auto index = static_cast<std::size_t>(i * (kColormapSize - 1) / (steps - 1));
    ImGui::GetWindowDrawList()->AddRectFilled(
        {left, rect.y}, {left + step, rect.y + rect.height}, ToImGui(table[index]));
  }
}

void BeginScroll(const char* id, const Rect& rect, bool horizontal, bool wheel_is_taken) {
  ImGui::SetCursorScreenPos({rect.x, rect.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::BeginChild(id,
                    {std::max(1.0F, rect.width), std::max(1.0F, rect.height)},
                    false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                        (horizontal ? ImGuiWindowFlags_HorizontalScrollbar : 0) |
                        (wheel_is_taken ? ImGuiWindowFlags_NoScrollWithMouse : 0));
  ImGui::PopStyleVar();
}

void EndScroll() {
  ImGui::EndChild();
}

}  // namespace headscope
