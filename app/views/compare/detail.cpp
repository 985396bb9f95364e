// The right part of Compare: the matching, the numbers of the selected pair, the row that is
// pointed at, and what has to be said of the comparison.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/cell_words.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/byte_text.h"
#include "core/base/counted.h"
#include "core/figure/comparison_words.h"

namespace headscope {
namespace {

constexpr float kCompareDetailLine = 22.0F;

// A word and its number; returns the height.
float Fact(Ui* ui, float x, float y, float width, std::string_view name, const std::string& value) {
  const float line = ui->Px(kCompareDetailLine);
  const float left = ui->Px(170.0F);
  DrawTextIn(*ui, {x, y, left, line}, name, Type::kBody, ui->colors().muted, left - ui->Px(8.0F));
  DrawTextIn(*ui,
             {x + left, y, width - left, line},
             value,
             Type::kMono,
             ui->colors().text,
             std::max(ui->Px(20.0F), width - left));
  return line;
}

float DrawFacts(Ui* ui, float x, float y, float width, const ComparedHeads& pair) {
  const ComparedPair& result = *ui->state.compare.result;
  const float top = y;
  y +=
      Fact(ui, x, y, width, "divergence", DivergenceText(pair) + (pair.by_hand ? ", by hand" : ""));
  if (pair.layer != nullptr) {
    if (const auto mean = pair.layer->Mean()) {
      y += Fact(ui,
                x,
                y,
                width,
                "mean of the layer",
                fmt::format("{} nats over {}",
                            ShortDivergence(*mean),
                            Counted(pair.layer->pairs.size(), "pair")));
    }
    y += Fact(ui,
              x,
              y,
              width,
              "of how many rows",
              fmt::format("{} of {}", pair.layer->num_rows, result.comparison.queries.size()));
  }
  const bool by_words = result.comparison.queries.is_by_words();
  y += Fact(ui,
            x,
            y,
            width,
            by_words ? "shared words" : "shared tokens",
            fmt::format("{} (A has {}, B {})",
                        result.comparison.queries.size(),
                        Counted(result.tokens_a, "token"),
                        result.tokens_b));
  if (const auto maps = MapsInView(ui->state); maps != nullptr && maps->places > 1) {
    y += Fact(ui, x, y, width, "pooled", fmt::format("{0} × {0} weights to a cell", maps->places));
  }
  y += Fact(ui,
            x,
            y,
            width,
            "side B keeps",
            ByteText(static_cast<std::uint64_t>(result.bytes_b)) +
                (result.b_has_model ? " and its own model" : ""));
  return y - top;
}

// The keys of the told row on which the two differ most, with both weights as bars.
float DrawRowInCompareDetail(Ui* ui, float x, float y, float width) {
  constexpr std::size_t kMost = 8;
  CompareDrawing& drawing = DrawingOf(ui);
  if (!TellRow(ui, &drawing)) {
    return 0.0F;
  }
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kCompareDetailLine);
  const float top = y;
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
  DrawTextIn(*ui,
             {x, y, width, line},
             is_same ? fmt::format("Row “{}” is the same in both, to four digits",
                                   drawing.pair->queries.Label(drawing.query))
                     : fmt::format("Row “{}”: where the two differ most",
                                   drawing.pair->queries.Label(drawing.query)),
             Type::kBold,
             colors.text,
             width);
  y += line + ui->Px(4.0F);
  if (is_same) {
    return y - top;
  }
  const float name = ui->Px(120.0F);
  const float number = ui->Px(76.0F);
  const float bar = std::max(ui->Px(30.0F), width - name - 3.0F * number - ui->Px(12.0F));
  const float half = ui->Px(8.0F);
  const auto column = [&](int index) {
    return x + name + bar + ui->Px(12.0F) + number * static_cast<float>(index);
  };
  for (int i = 0; i < 3; ++i) {
    constexpr std::array kNames = {"A", "B", "B − A"};
    const Rgb ink = i == 0 ? colors.accent : colors.muted;
    DrawText(*ui, column(i), y, kNames[static_cast<std::size_t>(i)], Type::kBold, ink);
  }
  y += LineHeight(*ui, Type::kBold) + ui->Px(2.0F);
  for (const std::size_t i : order) {
    const float a = drawing.row_a[i];
    const float b = drawing.row_b[i];
    DrawTextIn(*ui,
               {x, y, name, line},
               drawing.pair->keys.Label(static_cast<std::int64_t>(i)),
               Type::kMono,
               colors.text,
               name - ui->Px(8.0F));
    const float left = x + name;
    FillRect(
        *ui, {left, y + ui->Px(2.0F), bar * std::clamp(a, 0.0F, 1.0F), half}, colors.accent, 2.0F);
    FillRect(*ui,
             {left, y + ui->Px(2.0F) + half + ui->Px(1.0F), bar * std::clamp(b, 0.0F, 1.0F), half},
             colors.muted,
             2.0F);
    DrawNumber(
        *ui, column(0), y + ui->Px(3.0F), a < 0.0F ? "–" : fmt::format("{:.4f}", a), colors.text);
    DrawNumber(
        *ui, column(1), y + ui->Px(3.0F), b < 0.0F ? "–" : fmt::format("{:.4f}", b), colors.text);
    DrawNumber(*ui,
               column(2),
               y + ui->Px(3.0F),
               a < 0.0F || b < 0.0F ? "–" : fmt::format("{:+.4f}", b - a),
               colors.muted);
    y += line;
  }
  return y - top;
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
  ui->memory->map_rect = {};  // the maps are in the middle: the wheel scrolls here
  Pen pen = BeginDetail(ui, NameOfPair(pair));
  DrawDetailHeader(&pen, NameOfPair(pair));
  pen.Skip(12.0F);
  const float x = pen.x;
  const float width = pen.width;
  float y = pen.y;
  y += DrawFacts(ui, x, y, width, pair) + ui->Px(14.0F);
  y += DrawMatching(ui, x, y, width) + ui->Px(14.0F);
  y += DrawRowInCompareDetail(ui, x, y, width) + ui->Px(14.0F);
  for (const std::string& note : state.compare.result->comparison.notes) {
    y += DrawParagraph(*ui, x, y, width, note, Type::kSmall, ui->colors().muted) + ui->Px(6.0F);
  }
  y += DrawParagraph(
      *ui,
      x,
      y,
      width,
      "Divergence: Jensen-Shannon, the mean over the rows that both have and that see two keys or "
      "more. 0: the two attend alike everywhere; 0.693 nats, ln 2: they never look at the same "
      "key. Matched so that all pairs of a layer together lie least apart.",
      Type::kSmall,
      ui->colors().dim);
  EndDetail(ui, y);
}

}  // namespace headscope
