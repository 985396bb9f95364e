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

// Of the pointed or held cell; else of where the selected head differs most from its parent.
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

float DrawSum(Ui* ui, float x, float y, float width, const ParentDistance* distance) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const std::optional<HeadFamily> family = FamilyOf(state);
  if (!family) {
    return 0.0F;
  }
  const float top = y;
  const auto& counts = state.counts.result->counts;
  const LayerAttention& parents = *counts[family->parent.row].attention;
  const LayerAttention& children = *counts[family->row].attention;
  DrawText(*ui, x, y, "Check", Type::kBold, colors.text);
  y += ui->Px(20.0F);
  if (const std::optional<CellIndex> cell = CellToCheck(state, distance)) {
    const DotSum sum =
        SumOfDots(parents, family->parent.head, children, family->children, cell->query, cell->key);
    y += DrawParagraph(
        *ui,
        x,
        y,
        width,
        fmt::format("Dot products q·k of h = {} where {}:",
                    counts[family->row].heads,
                    CellName(state, *cell) +
                        (parents.Visible(cell->query, cell->key) ? "" : ", a masked cell")),
        Type::kSmall,
        colors.muted);
    const std::vector<SumLine> lines =
        SumLines(sum, family->children, NameOf(state, family->parent), kMostTerms);
    const float line = ui->Px(16.0F);
    const float right = x + std::min(width, ui->Px(200.0F));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_result = i + 2 >= lines.size();
      if (i + 2 == lines.size()) {
        FillRect(*ui, {x, y + ui->Px(1.0F), right - x, 1.0F}, colors.line, 0.0F);
        y += ui->Px(3.0F);
      }
      DrawText(*ui, x, y, lines[i].name, Type::kMonoSmall, colors.muted);
      const float wide = TextWidth(*ui, lines[i].number, Type::kMonoSmall);
      DrawText(*ui,
               right - wide,
               y,
               lines[i].number,
               Type::kMonoSmall,
               is_result ? colors.accent : colors.text);
      y += line;
    }
    y += ui->Px(2.0F);
  } else {
    y += DrawParagraph(*ui,
                       x,
                       y,
                       width,
                       "Point at a cell: the dot products of the children add up to the parent's.",
                       Type::kSmall,
                       colors.muted);
  }
  const LineageAnswer* const answer = AnswerTo(state, RowQuestion(state));
  const auto parent = static_cast<std::size_t>(family->parent.head);
  if (answer != nullptr && parent < answer->found.sums.size() && answer->found.sums[parent]) {
    const DotCheck& check = *answer->found.sums[parent];
    y += DrawParagraph(*ui,
                       x,
                       y,
                       width,
                       fmt::format("largest difference over {} {:.1e}, {:.1e} of |q||k|",
                                   Counted(check.cells, "cell"),
                                   check.largest,
                                   check.relative),
                       Type::kMonoSmall,
                       colors.accent);
  }
  return y - top;
}

float DrawSeen(Ui* ui, float x, float y, float width, const PairBeside& pair) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const ParentDistance* const distance = DistanceOf(state, pair);
  const float top = y;
  DrawText(*ui, x, y, "What one sees", Type::kBold, colors.text);
  y += ui->Px(20.0F);
  const LineageAnswer* const answer = AnswerOf(state, pair);
  std::string words = answer != nullptr && !answer->fault.empty() ? answer->fault : "Measuring …";
  if (distance != nullptr) {
    words = SeenWords(*distance, QueryName(state, distance->query), KeyName(state, distance->key));
  }
  y += DrawParagraph(*ui, x, y, width, words, Type::kSmall, colors.text) + ui->Px(8.0F);
  if (!pair.is_pinned) {
    const float check = DrawSum(ui, x, y, width, distance);
    y += check + (check > 0.0F ? ui->Px(8.0F) : 0.0F);
  }
  if (distance != nullptr && distance->divergence) {
    y += DrawParagraph(*ui,
                       x,
                       y,
                       width,
                       fmt::format("{} after the softmax: mean divergence {} of 0.693.",
                                   *distance->divergence < 1e-6 ? "The same" : "Not the same",
                                   WithDigits(*distance->divergence)),
                       Type::kSmall,
                       colors.text);
  }
  return y - top;
}

}  // namespace headscope
