// The right part of Compare: the matching, the numbers of the selected pair, the row that is
// pointed at, and what has to be said of the comparison.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/patching.h"
#include "app/state/inspect/cell_words.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/byte_text.h"
#include "core/base/counted.h"
#include "core/base/hundredths.h"
#include "core/figure/comparison_words.h"

namespace headscope {
namespace {

constexpr float kCompareDetailLine = 22.0F;

// A word and its number.
void Fact(Pen* pen, std::string_view name, const std::string& value) {
  Row row = pen->Line(kCompareDetailLine);
  row.Cell(pen->ui->Px(170.0F), name, Type::kBody, pen->ui->colors().muted, 8.0F);
  row.Text(value, Type::kMono, pen->ui->colors().text);
}

void DrawFacts(Pen* pen, const ComparedHeads& pair) {
  const ComparedPair& result = *pen->ui->state.compare.result;
  const auto rows = result.comparison.queries.size();
  Fact(pen, "divergence", DivergenceText(pair) + (pair.by_hand ? ", by hand" : ""));
  if (pair.layer != nullptr) {
    if (const auto mean = pair.layer->Mean()) {
      Fact(pen,
           "mean of the layer",
           fmt::format("{} nats over {}",
                       ShortDivergence(*mean),
                       Counted(pair.layer->pairs.size(), "pair")));
    }
    Fact(pen, "of how many rows", fmt::format("{} of {}", pair.layer->num_rows, rows));
  }
  Fact(
      pen,
      result.comparison.queries.is_by_words() ? "shared words" : "shared tokens",
      fmt::format("{} (A has {}, B {})", rows, Counted(result.tokens_a, "token"), result.tokens_b));
  if (const auto maps = MapsInView(pen->ui->state); maps != nullptr && maps->places > 1) {
    Fact(pen, "pooled", fmt::format("{0} × {0} weights to a cell", maps->places));
  }
}

// The keys of the told row on which the two differ most, with both weights as bars.
void DrawRowInCompareDetail(Pen* pen) {
  constexpr std::size_t kMost = 8;
  Ui* const ui = pen->ui;
  CompareDrawing& drawing = DrawingOf(ui);
  if (!TellRow(ui, &drawing)) {
    return;
  }
  const ThemeColors& colors = ui->colors();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < drawing.row_a.size(); ++i) {
    if (drawing.row_a[i] > 0.0F || drawing.row_b[i] > 0.0F) {
      order.push_back(i);
    }
  }
  const auto apart = [&](std::size_t i) {
    return std::abs(std::max(drawing.row_b[i], 0.0F) - std::max(drawing.row_a[i], 0.0F));
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, apart);
  order.resize(std::min(order.size(), kMost));
  const bool is_same = order.empty() || apart(order.front()) < 0.00005F;
  pen->Line(kCompareDetailLine)
      .Text(fmt::format(
                "Row “{}”{}",
                drawing.pair->queries.Label(drawing.query),
                is_same ? " is the same in both, to four digits" : ": where the two differ most"),
            Type::kBold,
            colors.text);
  pen->Skip(4.0F);
  if (is_same) {
    return;
  }
  const float name = ui->Px(120.0F);
  const float number = ui->Px(76.0F);
  const float bar = std::max(ui->Px(30.0F), pen->width - name - 3.0F * number - ui->Px(12.0F));
  Row names(ui, pen->Take(LineHeight(*ui, Type::kBold) + ui->Px(2.0F)), true);
  names.Left(name + bar + ui->Px(12.0F));
  names.Cell(number, "A", Type::kBold, colors.accent);
  names.Cell(number, "B", Type::kBold, colors.muted);
  names.Cell(number, "B − A", Type::kBold, colors.muted);
  for (const std::size_t i : order) {
    const float a = drawing.row_a[i];
    const float b = drawing.row_b[i];
    Row row = pen->Line(kCompareDetailLine);
    const std::string key = drawing.pair->keys.Label(static_cast<std::int64_t>(i));
    row.Cell(name, key, Type::kMono, colors.text, 8.0F);
    const Rect bars = row.Left(bar);
    const auto draw_bar = [&](float down, float value, Rgb ink) {
      const float length = bar * std::clamp(value, 0.0F, 1.0F);
      FillRect(*ui, {bars.x, bars.y + down, length, ui->Px(8.0F)}, ink, 2.0F);
    };
    draw_bar(ui->Px(2.0F), a, colors.accent);
    draw_bar(ui->Px(2.0F) + ui->Px(8.0F) + ui->Px(1.0F), b, colors.muted);
    row.Skip(12.0F);
    const auto draw_number = [&](bool is_there, const std::string& words, Rgb ink) {
      const Rect place = row.Left(number);
      DrawNumber(*ui, place.x, place.y + ui->Px(3.0F), is_there ? words : "–", ink);
    };
    draw_number(a >= 0.0F, fmt::format("{:.4f}", a), colors.text);
    draw_number(b >= 0.0F, fmt::format("{:.4f}", b), colors.text);
    draw_number(
        a >= 0.0F && b >= 0.0F, SignedTenThousandths(static_cast<double>(b - a)), colors.muted);
  }
}

}  // namespace

void DrawCompareDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  const AppState& state = ui->state;
  if (panel.width <= 0.0F || SelectedLayer(state).layer == nullptr) {
    return;
  }
  if (state.compare.result == nullptr) {
    DrawHeadDetail(ui);  // of side A
    return;
  }
  const ComparedHeads pair = SelectedPair(state);
  const std::string title = NameOfPair(pair);
  Pen pen = BeginDetail(ui, title);
  DrawDetailHeader(&pen, title);
  pen.Skip(12.0F);
  const bool patches = IsPatching(state) && WhyNotPatched(state).empty();
  if (patches) {
    DrawPatchFacts(&pen);
    pen.Skip(14.0F);
    DrawPatchPositions(&pen);
    pen.Skip(14.0F);
  }
  DrawFacts(&pen, pair);
  pen.Skip(14.0F);
  if (!patches) {
    DrawMatching(&pen);
    pen.Skip(14.0F);
  }
  DrawRowInCompareDetail(&pen);
  pen.Skip(14.0F);
  for (const std::string& note : state.compare.result->comparison.notes) {
    pen.Small(note, ui->colors().muted);
    pen.Skip(6.0F);
  }
  pen.Small(
      "Divergence: Jensen-Shannon, the mean over the rows that both have and that see two keys or "
      "more. 0: the two attend alike everywhere; 0.693 nats, ln 2: they never look at the same "
      "key. Matched so that all pairs of a layer together lie least apart.",
      ui->colors().dim);
  EndDetail(ui, pen.y);
}

}  // namespace headscope
