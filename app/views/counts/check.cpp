// What two maps of a cut have to say: where they differ most, and what adds up.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/state/counts/tree_words.h"
#include "app/views/counts/cells.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"
#include "core/base/digits.h"

namespace headscope {
namespace {

constexpr std::size_t kMostTerms = 4;  // of a sum, in lines

// What is measured of the pair; null: nothing yet.
const LineageAnswer* AnswerOf(const AppState& state, const PairBeside& pair) {
  return AnswerTo(state, pair.is_pinned ? PinQuestion(state) : RowQuestion(state));
}

const ParentDistance* DistanceOf(const AppState& state, const PairBeside& pair) {
  const LineageAnswer* const answer = AnswerOf(state, pair);
  const auto at = static_cast<std::size_t>(pair.own.head);
  return answer != nullptr && at < answer->found.children.size() ? &answer->found.children[at]
                                                                 : nullptr;
}

// The pointed or held cell; else the one where the selected head differs most from its parent.
std::optional<CellIndex> CellToCheck(const AppState& state, const ParentDistance* distance) {
  const AttentionShape& shape = state.counts.source->shape();
  const auto point = Within(state.selection.point, shape.queries, shape.keys);
  if (point && point->key) {
    return point->cell();
  }
  if (distance == nullptr) {
    return std::nullopt;
  }
  return CellIndex{distance->query, distance->key};
}

}  // namespace

void DrawSum(Pen* pen, const HeadFamily& family, const ParentDistance* distance) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const auto& counts = state.counts.result->counts;
  const LayerAttention& parents = *counts[family.parent.row].attention;
  const LayerAttention& children = *counts[family.row].attention;
  pen->Text("Check", Type::kBold, colors.text, 20.0F);
  if (const std::optional<CellIndex> cell = CellToCheck(state, distance)) {
    const DotSum sum =
        SumOfDots(parents, family.parent.head, children, family.children, cell->query, cell->key);
    pen->Small(fmt::format("Dot products q·k of h = {} where {}:",
                           counts[family.row].heads,
                           CellName(state, *cell) +
                               (parents.Visible(cell->query, cell->key) ? "" : ", a masked cell")),
               colors.muted);
    const std::vector<SumLine> lines =
        SumLines(sum, family.children, NameOf(state, family.parent), kMostTerms);
    Pen column = pen->Part(0.0F, std::min(pen->width, ui->Px(200.0F)));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_result = i + 2 >= lines.size();
      if (i + 2 == lines.size()) {
        FillRect(*ui, {column.x, column.y + ui->Px(1.0F), column.width, 1.0F}, colors.line, 0.0F);
        column.Skip(3.0F);
      }
      Row row = column.TopLine(16.0F);
      row.Text(lines[i].name, Type::kMonoSmall, colors.muted);
      row.TextRight(lines[i].number, Type::kMonoSmall, is_result ? colors.accent : colors.text);
    }
    pen->y = column.y;
    pen->Skip(2.0F);
  } else {
    pen->Small("Point at a cell: the dot products of the children add up to the parent's.",
               colors.muted);
  }
  const LineageAnswer* const answer = AnswerTo(state, RowQuestion(state));
  const auto parent = static_cast<std::size_t>(family.parent.head);
  if (answer != nullptr && parent < answer->found.sums.size() && answer->found.sums[parent]) {
    const DotCheck& check = *answer->found.sums[parent];
    pen->Paragraph(fmt::format("largest difference over {} {:.1e}, {:.1e} of |q||k|",
                               Counted(check.cells, "cell"),
                               check.largest,
                               check.relative),
                   Type::kMonoSmall,
                   colors.accent);
  }
}

void DrawSeen(Pen* pen, const PairBeside& pair) {
  const AppState& state = pen->ui->state;
  const ThemeColors& colors = pen->ui->colors();
  const ParentDistance* const distance = DistanceOf(state, pair);
  pen->Text("What one sees", Type::kBold, colors.text, 20.0F);
  const LineageAnswer* const answer = AnswerOf(state, pair);
  std::string words = answer != nullptr && !answer->fault.empty() ? answer->fault : "Measuring …";
  if (distance != nullptr) {
    words = SeenWords(*distance, QueryName(state, distance->query), KeyName(state, distance->key));
  }
  pen->Small(words, colors.text);
  pen->Skip(8.0F);
  const std::optional<HeadFamily> family = FamilyOf(state);
  if (!pair.is_pinned && family) {
    DrawSum(pen, *family, distance);
    pen->Skip(8.0F);
  }
  if (distance != nullptr && distance->divergence) {
    pen->Small(fmt::format("{} after the softmax: mean divergence {} of 0.693.",
                           *distance->divergence < 1e-6 ? "The same" : "Not the same",
                           WithDigits(*distance->divergence)),
               colors.text);
  }
}

}  // namespace headscope
