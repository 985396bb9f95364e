// Weights that are all 1: the largest weight of a row, and how far the output moves with h, at several
// scales of the input beside each other.
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/counts/tree_words.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

using ScaleCells = std::array<std::string, 3>;
constexpr std::array<float, 3> kRightEdges = {0.18F, 0.58F, 1.0F};  // of the width

void DrawScaleCells(
    const Ui& ui, float x, float y, float width, const ScaleCells& cells, Rgb color) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const float wide = TextWidth(ui, cells[i], Type::kMonoSmall);
    DrawText(ui, x + width * kRightEdges[i] - wide, y, cells[i], Type::kMonoSmall, color);
  }
}

}  // namespace

float DrawScales(Ui* ui, float x, float y, float width, const SplitResult& result) {
  if (result.scales.empty()) {
    return 0.0F;
  }
  const ThemeColors& colors = ui->colors();
  const float top = y;
  const float line = ui->Px(18.0F);
  DrawText(*ui, x, y, "Where h counts, of equal weights", Type::kBold, colors.text, width);
  y += ui->Px(24.0F);
  DrawScaleCells(*ui, x, y, width, {"input", "largest weight", "output moves by"}, colors.dim);
  y += line + ui->Px(2.0F);
  for (const SplitAtScale& scale : result.scales) {
    const ScaleLine told = LineOfScale(scale);
    const bool is_chosen = scale.input_scale == ui->state.tree.how.input_scale;
    ImGui::PushID(told.name.c_str());
    const Pressed pressed =
        Area(ui, "scale", {x, y, width, line}, "Multiply the input by this, and see the maps");
    ImGui::PopID();
    if (pressed.hovered) {
      FillRect(*ui, {x, y, width, line}, colors.raised, 4.0F);
    }
    DrawScaleCells(
        *ui,
        x,
        y,
        width,
        {told.name, told.largest_weight, fmt::format("{}, h = {}", told.moved, told.heads)},
        is_chosen ? colors.accent : colors.text);
    if (pressed.clicked) {
      ui->Do(EditCut{CutField::kScale,
                     scale.input_scale == 1.0 ? "" : fmt::format("{:g}", scale.input_scale)});
    }
    y += line;
  }
  y += ui->Px(6.0F);
  y += DrawParagraph(*ui,
                     x,
                     y,
                     width,
                     "The largest weight of a row is a mean, of the count where it is least to the "
                     "one where it is most: 1 where each row takes one token. The output: how far "
                     "the count named moves it from the trained one's at the same scale.",
                     Type::kSmall,
                     colors.muted);
  return y + ui->Px(14.0F) - top;
}

}  // namespace headscope
