#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"

namespace headscope {

void DrawColourBar(Pen* pen,
                   const ColorScale& scale,
                   bool has_masked,
                   const std::optional<Rgb>& ink) {
  const Ui& ui = *pen->ui;
  const ThemeColors& colors = ui.colors();
  const float line = LineHeight(ui, Type::kMono);
  const std::string low = scale.low == 0.0F ? "0" : fmt::format("{:.3g}", scale.low);
  const std::string high = scale.range == RangeMode::kRow
                               ? "row's largest"
                               : (scale.high == 1.0F ? "1" : fmt::format("{:.3g}", scale.high));
  Row row(pen->ui, pen->Take(line), true);
  pen->Take(line);  // of the weights below
  row.Text(low, Type::kMono, colors.muted);
  row.Skip(8.0F);
  Rect bar = row.Left(std::clamp(pen->width * 0.4F, ui.Px(80.0F), ui.Px(236.0F)));
  bar.height = ui.Px(9.0F);
  bar.y += (line - bar.height) / 2.0F - ui.Px(1.0F);
  const std::array<Rgb, kColormapSize> of_ink = InkTable(colors.panel, ink.value_or(colors.text));
  FillGradient(bar,
               ink ? std::span<const Rgb, kColormapSize>(of_ink)
                   : ColormapTable(scale.colormap, ui.state.theme),
               64);
  ImDrawList* list = ImGui::GetWindowDrawList();
  // Weights along the bar: with a curve they do not stand evenly.
  const float tick_top = bar.y + bar.height;
  float last = bar.x;
  for (const float part : {0.001F, 0.01F, 0.1F, 0.25F, 0.5F}) {
    const float weight = scale.low + part * (scale.high - scale.low);
    const float tick = std::round(bar.x + bar.width * Position(scale, weight));
    const std::string words = fmt::format("{:.2g}", weight);
    const float half = TextWidth(ui, words, Type::kMonoSmall) / 2.0F;
    if (scale.range == RangeMode::kRow || tick - half < last + ui.Px(4.0F) ||
        tick + half > bar.x + bar.width) {
      continue;
    }
    list->AddLine({tick, tick_top}, {tick, tick_top + ui.Px(3.0F)}, ToImGui(colors.dim));
    DrawText(ui, tick - half, tick_top + ui.Px(3.0F), words, Type::kMonoSmall, colors.dim);
    last = tick + half;
  }
  row.Skip(8.0F);
  row.Text(high, Type::kMono, colors.muted);
  row.Skip(14.0F);
  if (has_masked) {
    const Rect masked = row.Right(TextWidth(ui, "masked", Type::kSmall) + ui.Px(18.0F));
    const float top = masked.y + (line - LineHeight(ui, Type::kSmall)) / 2.0F;
    const Rect swatch{masked.x, bar.y, ui.Px(11.0F), bar.height};
    FillRect(ui, swatch, MaskedColor(ui.state.theme), 2.0F);
    FrameRect(ui, swatch, colors.line, 2.0F);
    DrawText(ui, masked.x + ui.Px(16.0F), top, "masked", Type::kSmall, colors.muted);
    row.SkipRight(10.0F);
  }
  const std::string words = Describe(scale);
  if (TextWidth(ui, words, Type::kSmall) <= row.rest().width) {
    row.Text(words, Type::kSmall, colors.muted);
    return;
  }
  pen->Skip(2.0F);
  pen->Small(words, colors.muted);
}

}  // namespace headscope
