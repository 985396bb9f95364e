// What changed between the weights of two models: every head and what else there is, in a list, the
// largest change first.
#include "app/state/compare/weights.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/compare/panels.h"
#include "app/views/kit/text_box.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/base/sentence.h"

namespace headscope {
namespace {

// Unscaled pixels.
constexpr float kWeightLine = 24.0F;
constexpr float kWeightName = 200.0F;
constexpr float kWeightNumber = 82.0F;
constexpr float kWeightMatrix = 74.0F;
constexpr float kMostWeightBar = 220.0F;
constexpr float kLeastWeightBar = 60.0F;
constexpr float kWeightPad = 18.0F;

// What of a line there is room for: a bar, and of a head each matrix's own change.
struct WeightColumns {
  float bar = 0.0F;
  bool has_matrices = false;
};

WeightColumns ColumnsFor(const Ui& ui, float width) {
  const float least = ui.Px(kWeightName + 2.0F * kWeightNumber);
  const float matrices = ui.Px(kWeightMatrix) * static_cast<float>(kHeadMatrices.size());
  WeightColumns columns;
  columns.has_matrices = width >= least + matrices + ui.Px(kLeastWeightBar);
  const float left = width - least - (columns.has_matrices ? matrices : 0.0F);
  columns.bar = std::clamp(left, 0.0F, ui.Px(kMostWeightBar));
  return columns;
}

void DrawWeightNames(Ui* ui, Row row, const WeightColumns& columns) {
  const Rgb color = ui->colors().dim;
  const auto number =
      [&](const char* id, float width, std::string_view name, std::string_view about) {
        Row place(ui, row.Left(ui->Px(width)));
        Area(ui, id, place.whole(), about);
        place.TextRight(name, Type::kSmall, color);
      };
  row.Cell(ui->Px(kWeightName), "head, or part", Type::kSmall, color);
  static_cast<void>(row.Left(columns.bar));
  number(
      "change name",
      kWeightNumber,
      "change",
      "|A − B| / |A|: the norm of what changed over the norm of A, all numbers of the part together");
  number("cosine name",
         kWeightNumber,
         "cosine",
         "Of the part's numbers in A and in B; 1: the same direction");
  for (std::size_t i = 0; columns.has_matrices && i < kHeadMatrices.size(); ++i) {
    number(fmt::format("matrix {}", i).c_str(),
           kWeightMatrix,
           kHeadMatrices.at(i),
           "The change of a head's own matrix, with its bias");
  }
}

void DrawWeightLine(
    Ui* ui, Row row, const WeightChange& part, const WeightColumns& columns, double largest) {
  const ThemeColors& colors = ui->colors();
  const bool is_selected = part.head == ui->state.selection.head;
  row.Cell(ui->Px(kWeightName),
           part.name,
           part.head ? Type::kMono : Type::kBody,
           is_selected ? colors.accent
           : part.head ? colors.text
                       : colors.muted,
           8.0F);
  const Rect bar = row.Left(columns.bar);
  const double share = largest > 0.0 ? part.all.Change().value_or(largest) / largest : 0.0;
  const float height = ui->Px(8.0F);
  FillRect(*ui,
           {bar.x,
            bar.y + (bar.height - height) / 2.0F,
            std::max(0.0F, bar.width - ui->Px(8.0F)) * static_cast<float>(share),
            height},
           part.head ? colors.accent : colors.dim,
           2.0F);
  row.CellRight(ui->Px(kWeightNumber), ChangeText(part.all), Type::kMono, colors.text);
  const auto cosine = part.all.Cosine();
  row.CellRight(
      ui->Px(kWeightNumber), cosine ? WithDigits(*cosine, 4) : "–", Type::kMono, colors.muted);
  for (const ChangeSums& matrix : part.matrices) {
    if (columns.has_matrices && part.head) {
      row.CellRight(ui->Px(kWeightMatrix), ChangeText(matrix), Type::kMonoSmall, colors.muted);
    }
  }
}

void DrawWeightList(Ui* ui, const Rect& area, const WeightChanges& changes) {
  const std::vector<std::size_t> places = SoughtWeights(changes, ui->state.compare.weights_sought);
  const float line = ui->Px(kWeightLine);
  const float pad = ui->Px(kWeightPad);
  if (area.height < 2.0F * line) {
    return;
  }
  const float width = area.width - 2.0F * pad - ImGui::GetStyle().ScrollbarSize;
  const WeightColumns columns = ColumnsFor(*ui, width);
  DrawWeightNames(ui, {ui, {area.x + pad, area.y, width, line}}, columns);
  double largest = 0.0;
  for (const WeightChange& part : changes.parts) {
    largest = std::max(largest, part.all.Change().value_or(0.0));
  }
  const Rect rows{area.x, area.y + line, area.width, area.height - line};
  if (places.empty()) {
    DrawWordsInstead(ui, rows, "No head or part has such a name.");
    return;
  }
  BeginScroll("weights", rows);
  ImGui::Dummy({1.0F, line * static_cast<float>(places.size()) + ui->Px(8.0F)});
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float top = rows.y + line * static_cast<float>(i) - ImGui::GetScrollY();
    if (top + line < rows.y || top > rows.y + rows.height) {
      continue;
    }
    const WeightChange& part = changes.parts[places[i]];
    const Rect place{area.x + pad, top, width, line};
    const std::string about =
        fmt::format("{}: {} changed by {} of A's norm{}",
                    part.name,
                    Counted(part.all.numbers, "number"),
                    ChangeText(part.all),
                    part.head ? "\nclick: this head on both sides, side by side" : "");
    const Pressed pressed = Area(ui, "weight", static_cast<int>(i), place, about);
    if (pressed.hovered || part.head == ui->state.selection.head) {
      FillRect(*ui, Inset(place, -ui->Px(8.0F), 0.0F), ui->colors().raised, 5.0F);
    }
    DrawWeightLine(ui, {ui, place}, part, columns, largest);
    if (pressed.clicked && part.head) {
      ui->Do(ShowComparedHead{*part.head});
    }
  }
  EndScroll();
}

// In place of the list; a stopped comparison can go on.
void DrawNoWeights(Ui* ui, const Rect& area) {
  const auto& weights = ui->state.compare.weights;
  const std::string why_not = WhyNoWeights(ui->state);
  const bool fails = why_not.empty() && weights.of == WeightsToCompare(ui->state);
  Pen pen = DrawWordsInstead(ui,
                             area,
                             !why_not.empty() ? Ended(why_not)
                             : fails          ? "No comparison of weights: " + Ended(weights.fault)
                                     : "Reading the weights of both models, layer by layer.");
  pen.Skip(8.0F);
  if (fails &&
      pen.Line(32.0F).Button(
          "weights again",
          {.text = "Compare weights", .tooltip = "It goes on where it was", .primary = true})) {
    ui->Do(CompareWeightsAgain);
  }
}

}  // namespace

void DrawWeights(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const auto changes = WeightsInView(ui->state);
  if (changes == nullptr) {
    DrawNoWeights(ui, area);
    return;
  }
  const float pad = ui->Px(kWeightPad);
  Pen pen{ui, area.x + pad, area.y + ui->Px(10.0F), area.width - 2.0F * pad};
  Row row = pen.Line(32.0F);
  const float box = std::min(ui->Px(220.0F), row.rest().width * 0.45F);
  DrawTextBox(ui,
              row.Right(box),
              {.name = "weights sought",
               .text = ui->state.compare.weights_sought,
               .hint = "L1H3, MLP …",
               .hint_color = colors.dim,
               .tooltip = "Only the head or the parts of that name",
               .note = "",
               .clear_tooltip = "All heads and parts",
               .edit = [](const std::string& text) -> Action { return SeekWeights{text}; }});
  row.SkipRight(12.0F);
  row.Text("What changed from A to B", Type::kBold, colors.text);
  pen.Skip(4.0F);
  std::string words =
      "Change: the norm of A − B over the norm of A, so that 0 is nothing and 1 as much as A itself. "
      "Of a head: its columns of W_Q, W_K and W_V with their biases, and its rows of W_O.";
  for (const std::string& note : changes->notes) {
    words += " " + note;
  }
  pen.Paragraph(words, Type::kSmall, colors.muted, 4);
  pen.Skip(6.0F);
  DrawWeightList(ui, {area.x, pen.y, area.width, area.y + area.height - pen.y}, *changes);
}

}  // namespace headscope
