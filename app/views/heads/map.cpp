// Layers x heads, each cell coloured by a score: dark at chance, bright at the most.
#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/grid.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/widgets.h"
#include "core/figure/score_map.h"

namespace headscope {
namespace {

constexpr int kMostWordLines = 4;

float WordsWidth(const Ui& ui, const HeadsGrid& grid) {
  return std::max(ui.Px(60.0F), grid.area.width - grid.left - ui.Px(12.0F));
}

// From chance to the most, in words that can be checked.
void DrawBar(Ui* ui,
             const HeadsGrid& grid,
             const ScoredMetric& metric,
             const ScoreRange& range,
             const std::string& words) {
  const bool has_line = range.chance && !range.is_signed;
  HeadsGridBar look{.colormap = ColormapOf(range, ui->state.settings.colormap),
                    .low = LowWords(metric, range),
                    .high = ScoreText(metric, range.high),
                    .most_width = 220.0F,
                    .free = 120.0F};
  if (has_line) {
    look.mark = range.At(*range.chance);
  }
  const Rect bar = DrawHeadsGridBar(ui, grid, look);
  if (bar.width > 0.0F) {
    DrawParagraph(*ui,
                  bar.x,
                  BelowHeadsGridBar(*ui, bar) + ui->Px(1.0F),
                  WordsWidth(*ui, grid),
                  words,
                  Type::kSmall,
                  ui->colors().dim,
                  kMostWordLines);
  }
}

}  // namespace

void DrawHeadsMap(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  const ScoredMetric& metric = *frame.metric;
  const ScoreRange range = RangeOf(metric);
  HeadsGrid grid = LayOutHeadsGrid(area, frame.heads.layers, frame.heads.heads, ui->scale);
  const std::string words = ScoreMapWords(metric, range, SourceOf(frame.report, metric));
  const float more =
      ParagraphHeight(*ui, words, WordsWidth(*ui, grid), Type::kSmall, kMostWordLines) -
      LineHeight(*ui, Type::kSmall);
  if (more > 0.0F) {  // than the one line that the bar has room for
    const Rect above{area.x, area.y, area.width, std::max(0.0F, area.height - more)};
    grid = LayOutHeadsGrid(above, frame.heads.layers, frame.heads.heads, ui->scale);
  }
  const std::vector<std::size_t> top = TopHeads(metric, kTopHeads);
  HeadsGridLook look{.id = "heads map", .part = frame.heads.part};
  for (std::int64_t layer = 0; layer < frame.heads.layers; ++layer) {
    look.rows.push_back({layer, frame.heads.heads});
  }
  look.cell = [&](HeadIndex head) {
    const std::size_t place = frame.heads.PlaceOf(head);
    const auto& score = metric.scores->heads[place].score;
    const Rgb color =
        score ? ColorOfScore(range, ui->state.settings.colormap, ui->state.theme, *score)
              : colors.panel;
    if (!IsShown(*ui, head, frame.suggestions)) {
      return HeadsGridCell{.fill = Blend(colors.background, color, 0.2F)};
    }
    HeadsGridCell cell{.fill = color};
    if (std::ranges::find(top, place) != top.end()) {
      cell.frame = colors.text;
      cell.words = ScoreText(metric, *score);
      cell.words_on = color;
    }
    return cell;
  };
  look.mark_on = [&](const Rect& cell, HeadIndex head) {
    if (cell.width >= ui->Px(14.0F) && cell.height >= ui->Px(12.0F)) {
      DrawRoleDot(
          *ui, cell.x + cell.width - ui->Px(6.0F), cell.y + ui->Px(6.0F), head, frame.suggestions);
    }
  };
  if (const auto pointed = DrawHeadsGrid(ui, grid, look)) {
    PointAtHead(ui, frame, pointed->head, pointed->clicked);
  }
  DrawBar(ui, grid, metric, range, words);
}

}  // namespace headscope
