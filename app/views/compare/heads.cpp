// Layers x heads of side A, each coloured by how far it lies from its match, and a list of those
// that differ most.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/compare/panels.h"
#include "app/views/heads/grid.h"
#include "app/views/kit/reveal.h"
#include "app/views/kit/widgets.h"
#include "core/figure/comparison_words.h"

namespace headscope {
namespace {

// How far apart heads lie that are not matched, on the mean: what a divergence is measured by.
std::optional<double> MeanOfOthers(const Comparison& comparison) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (const LayerComparison& layer : comparison.layers) {
    for (std::int64_t a = 0; a < layer.heads_a && layer.num_rows > 0; ++a) {
      const HeadPair* const matched = layer.PairOf(a);
      for (std::int64_t b = 0; b < layer.heads_b; ++b) {
        if (matched == nullptr || matched->b != b) {
          sum += layer.Divergence(a, b);
          ++count;
        }
      }
    }
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

void DrawBarInCompareHeads(Ui* ui,
                           const HeadsGrid& grid,
                           const ColorScale& scale,
                           const Comparison& comparison) {
  const auto others = MeanOfOthers(comparison);
  HeadsGridBar look{
      .colormap = scale.colormap,
      .low = "0",
      .high = fmt::format("{} nats", TightDivergence(static_cast<double>(scale.high)))};
  const auto pairs = FurthestPairs(ui->state);
  const bool is_alike = pairs.empty() || *pairs.front().divergence <= kRoundingOfDivergence;
  const char* const upto = is_alike ? "none above rounding" : "to the largest here";
  std::string words = fmt::format("divergence from the match, {}; 0.693: no key in common", upto);
  if (others) {
    const bool is_beyond = *others > static_cast<double>(scale.high);
    look.mark =
        is_beyond ? std::nullopt : std::optional(Position(scale, static_cast<float>(*others)));
    words += fmt::format("; {}unmatched heads, {} on the mean",
                         is_beyond ? "beyond it: " : "line: ",
                         TightDivergence(*others));
  }
  const Rect bar = DrawHeadsGridBar(ui, grid, look);
  if (bar.width <= 0.0F) {
    return;
  }
  const float room = grid.area.width - grid.left - ui->Px(look.free);
  const bool fits = TextWidth(*ui, words, Type::kSmall) <= room;
  Area(ui,
       "divergence bar",
       {bar.x, bar.y - ui->Px(4.0F), room, grid.bar_height - ui->Px(8.0F)},
       words);
  DrawText(*ui,
           bar.x,
           BelowHeadsGridBar(*ui, bar),
           fits ? words : fmt::format("divergence, {}", upto),
           Type::kSmall,
           ui->colors().dim,
           room);
}

void CompareHeadsPoint(Ui* ui, const ComparedHeads& pair, bool clicked) {
  PreviewHead(ui, pair.head, clicked);
  const auto item = static_cast<std::uint32_t>(4000000 + pair.head.layer * 4096 + pair.head.head);
  TooltipForItem(ui,
                 item,
                 true,
                 fmt::format("{}: {}{}",
                             NameOfPair(pair),
                             DivergenceText(pair),
                             pair.by_hand ? ", paired by hand" : ""));
}

}  // namespace

ColorScale ScaleOfDivergence(const AppState& state) {
  const auto pairs = FurthestPairs(state);
  return DivergenceScale({.curve = state.settings.curve,
                          .range = RangeMode::kGlobal,
                          .colormap = state.settings.colormap},
                         pairs.empty() ? 0.0 : *pairs.front().divergence);
}

HeadsGrid LayOutHeadsOfA(const Ui& ui, const Rect& area, HeadsGridLook* look) {
  const Comparison& comparison = ui.state.compare.result->comparison;
  look->part = comparison.part_a;
  std::int64_t heads = 1;
  for (const LayerComparison& layer : comparison.layers) {
    look->rows.push_back({layer.layer, layer.heads_a});
    heads = std::max(heads, layer.heads_a);
  }
  return LayOutHeadsGrid(area, std::ssize(look->rows), heads, ui.scale);
}

void DrawComparedHeads(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const Comparison& comparison = ui->state.compare.result->comparison;
  const ColorScale scale = ScaleOfDivergence(ui->state);
  HeadsGridLook look{.id = "compared heads"};
  const HeadsGrid grid = LayOutHeadsOfA(*ui, area, &look);
  look.cell = [&](HeadIndex head) {
    const std::optional<double> divergence = ComparedAt(ui->state, head).divergence;
    if (!divergence) {
      return HeadsGridCell{
          .fill = colors.panel, .frame = colors.line, .words = "–", .words_on = colors.panel};
    }
    const Rgb fill = ColorOf(scale, ui->state.theme, static_cast<float>(*divergence));
    return HeadsGridCell{.fill = fill, .words = TightDivergence(*divergence), .words_on = fill};
  };
  if (const auto pointed = DrawHeadsGrid(ui, grid, look)) {
    CompareHeadsPoint(ui, ComparedAt(ui->state, pointed->head), pointed->clicked);
  }
  DrawBarInCompareHeads(ui, grid, scale, comparison);
}

void DrawFurthestPairs(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const ColorScale scale = ScaleOfDivergence(ui->state);
  const std::vector<ComparedHeads> pairs = FurthestPairs(ui->state);
  const float line = ui->Px(24.0F);
  const Rect rows{area.x + ui->Px(14.0F),
                  area.y + ui->Px(32.0F),
                  area.width - 2.0F * ui->Px(14.0F),
                  area.height - ui->Px(36.0F)};
  if (rows.width < ui->Px(60.0F) || area.height < 2.0F * line) {
    return;
  }
  DrawText(*ui, rows.x, area.y + ui->Px(8.0F), "Differ most", Type::kBold, colors.text, rows.width);
  BeginScroll("differ most", rows);
  const float bar = ui->Px(2.0F) + ImGui::GetStyle().ScrollbarSize;
  const float swatch = ui->Px(10.0F);
  Pen pen{ui, rows.x, rows.y - ImGui::GetScrollY(), rows.width - bar};
  ImGui::Dummy({1.0F, line * static_cast<float>(pairs.size())});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ComparedHeads& pair = pairs[i];
    Row row = pen.Line(24.0F);
    const Rect& whole = row.whole();
    if (whole.y + line < rows.y || whole.y > rows.y + rows.height) {
      continue;
    }
    const Pressed pressed = Area(ui, "pair", static_cast<int>(i), whole, "");
    const bool is_selected = pair.head == ui->state.selection.head;
    if (pressed.hovered || is_selected) {
      FillRect(*ui, whole, colors.raised, 4.0F);
    }
    FillRect(*ui,
             {whole.x + ui->Px(4.0F), whole.y + (line - swatch) / 2.0F, swatch, swatch},
             ColorOf(scale, ui->state.theme, static_cast<float>(*pair.divergence)),
             2.0F);
    row.Skip(20.0F);
    row.SkipRight(4.0F);
    row.TextRight(ShortDivergence(*pair.divergence), Type::kMono, colors.text);
    row.SkipRight(6.0F);
    row.Text(NameOfPair(pair), Type::kMono, is_selected ? colors.text : colors.muted);
    if (pressed.clicked && !(is_selected && ui->state.selection.head_locked)) {
      ui->Do(ClickHead{pair.head});
    }
  }
  EndScroll();
}

}  // namespace headscope
