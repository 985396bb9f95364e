#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"

namespace headscope {

float DrawColourBar(
    const Ui& ui, float x, float y, float width, const ColorScale& scale, bool has_masked) {
  const ThemeColors& colors = ui.colors();
  const float line = LineHeight(ui, Type::kMono);
  const float bar_height = ui.Px(9.0F);
  const std::string low = scale.low == 0.0F ? "0" : fmt::format("{:.3g}", scale.low);
  const std::string high = scale.range == RangeMode::kRow
                               ? "row's largest"
                               : (scale.high == 1.0F ? "1" : fmt::format("{:.3g}", scale.high));
  float at = x + DrawText(ui, x, y, low, Type::kMono, colors.muted) + ui.Px(8.0F);
  const float bar = std::clamp(width * 0.4F, ui.Px(80.0F), ui.Px(236.0F));
  const float top = y + (line - bar_height) / 2.0F - ui.Px(1.0F);
  FillGradient({at, top, bar, bar_height}, ColormapTable(scale.colormap, ui.state.theme), 64);
  ImDrawList* list = ImGui::GetWindowDrawList();
  // Weights along the bar: with a curve they do not stand evenly.
  const float tick_top = top + bar_height;
  float last = at;
  for (const float part : {0.001F, 0.01F, 0.1F, 0.25F, 0.5F}) {
    const float weight = scale.low + part * (scale.high - scale.low);
    const float tick = std::round(at + bar * Position(scale, weight));
    const std::string words = fmt::format("{:.2g}", weight);
    const LabelTexture label = LabelOf(ui, words, Type::kMonoSmall);
    if (scale.range == RangeMode::kRow || tick - label.width / 2.0F < last + ui.Px(4.0F) ||
        tick + label.width / 2.0F > at + bar) {
      continue;
    }
    list->AddLine({tick, tick_top}, {tick, tick_top + ui.Px(3.0F)}, ToImGui(colors.dim));
    DrawText(
        ui, tick - label.width / 2.0F, tick_top + ui.Px(3.0F), words, Type::kMonoSmall, colors.dim);
    last = tick + label.width / 2.0F;
  }
  at += bar + ui.Px(8.0F);
  at += DrawText(ui, at, y, high, Type::kMono, colors.muted) + ui.Px(14.0F);
  std::string words = Describe(scale);
  float left = x + width - at;
  if (has_masked) {
    const float masked = TextWidth(ui, "masked", Type::kSmall) + ui.Px(18.0F);
    const float word_top = y + (line - LineHeight(ui, Type::kSmall)) / 2.0F;
    const Rect swatch{x + width - masked, top, ui.Px(11.0F), bar_height};
    FillRect(ui, swatch, MaskedColor(ui.state.theme), 2.0F);
    FrameRect(ui, swatch, colors.line, 2.0F);
    DrawText(ui, x + width - masked + ui.Px(16.0F), word_top, "masked", Type::kSmall, colors.muted);
    left -= masked + ui.Px(10.0F);
  }
  const float word_width = TextWidth(ui, words, Type::kSmall);
  if (word_width <= left) {
    DrawText(ui, at, y, words, Type::kSmall, colors.muted);
    return 2.0F * line;
  }
  return 2.0F * line + ui.Px(2.0F) +
         DrawParagraph(ui, x, y + 2.0F * line, width, words, Type::kSmall, colors.muted);
}

}  // namespace headscope
