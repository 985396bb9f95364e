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

constexpr std::array<float, 3> kScaleParts = {0.18F, 0.40F, 0.42F};  // of the width

void DrawScaleCells(Row row, const std::array<std::string, 3>& cells, Rgb color) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.CellRight(row.whole().width * kScaleParts[i], cells[i], Type::kMonoSmall, color);
  }
}

}  // namespace

void DrawScales(Pen* pen, const SplitResult& result) {
  if (result.scales.empty()) {
    return;
  }
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  pen->Text("Where h counts, of equal weights", Type::kBold, colors.text, 24.0F);
  DrawScaleCells(pen->TopLine(18.0F), {"input", "largest weight", "change of output"}, colors.dim);
  pen->Skip(2.0F);
  for (const SplitAtScale& scale : result.scales) {
    const ScaleLine told = LineOfScale(scale);
    const bool is_chosen = scale.input_scale == ui->state.tree.how.input_scale;
    const Row row = pen->TopLine(18.0F);
    const Pressed pressed = Area(ui,
                                 "scale",
                                 static_cast<int>(row.whole().y),
                                 row.whole(),
                                 "Multiply the input by this, and see the maps");
    if (pressed.hovered) {
      FillRect(*ui, row.whole(), colors.raised, 4.0F);
    }
    DrawScaleCells(
        row,
        {told.name, told.largest_weight, fmt::format("{}, h = {}", told.moved, told.heads)},
        is_chosen ? colors.accent : colors.text);
    if (pressed.clicked) {
      ui->Do(EditCut{CutField::kScale,
                     scale.input_scale == 1.0 ? "" : fmt::format("{:g}", scale.input_scale)});
    }
  }
  pen->Skip(6.0F);
  pen->Small(
      "The largest weight of a row is a mean, of the count where it is least to the "
      "one where it is most: 1 where each row takes one token. Change of output: how far "
      "that of the named count is from the trained one's at the same scale.",
      colors.muted);
  pen->Skip(14.0F);
}

}  // namespace headscope
