#include "app/views/why_panel.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/state/why_words.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

constexpr std::size_t kMostWriters = 4;  // on either side
constexpr float kLine = 18.0F;           // unscaled
constexpr int kMostFaultLines = 3;

struct Side {
  const char* id = "";
  std::string heading;
  const char* tooltip = "";
  const std::vector<WhyLine>& lines;
  const std::string& more;
};

void DrawLine(Ui* ui, const Rect& rect, const WhyLine& line) {
  const ThemeColors& colors = ui->colors();
  const float names = rect.width * 0.52F;
  const float numbers = ui->Px(48.0F);
  const float bars = std::max(ui->Px(16.0F), rect.width - names - numbers - ui->Px(8.0F));
  Rgb color = colors.text;
  if (line.head) {
    const Pressed area = Area(ui, "writer", rect, "Go to this head");
    color = area.hovered ? colors.text : colors.accent;
    if (area.clicked && *line.head != ui->state.selection.head) {
      ui->Do(ClickHead{*line.head});
    }
  }
  DrawTextIn(*ui,
             {rect.x, rect.y, names, rect.height},
             line.name,
             Type::kMonoSmall,
             color,
             names - ui->Px(6.0F));
  const float height = ui->Px(8.0F);
  const float length = std::max(ui->Px(1.0F), bars * line.length);
  const Rect bar{rect.x + names, rect.y + (rect.height - height) / 2.0F, length, height};
  // What takes away is an outline: seen without its colour, too.
  if (line.takes_away) {
    FrameRect(*ui, bar, colors.muted, 2.0F);
  } else {
    FillRect(*ui, bar, colors.accent, 2.0F);
  }
  const float top = rect.y + (rect.height - LineHeight(*ui, Type::kMonoSmall)) / 2.0F;
  DrawNumber(*ui,
             rect.x + rect.width - NumberWidth(*ui, line.number),
             top,
             line.number,
             line.takes_away ? colors.muted : colors.text);
}

void DrawSide(Ui* ui, float x, float y, float width, const Side& side) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kLine);
  ImGui::PushID(side.id);
  Area(ui, "heading", {x, y, width, line}, side.tooltip);
  DrawTextIn(*ui, {x, y, width, line}, side.heading, Type::kSmall, colors.muted, width);
  float top = y + line + ui->Px(2.0F);
  for (std::size_t i = 0; i < side.lines.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    DrawLine(ui, {x, top, width, line}, side.lines[i]);
    ImGui::PopID();
    top += line;
  }
  DrawTextIn(*ui, {x, top, width, line}, side.more, Type::kSmall, colors.dim, width);
  ImGui::PopID();
}

// The lines of the longer side, the rest of its writers included; the most before they are known.
std::size_t LinesOfSides(const Why& why) {
  if (why.sources == nullptr) {
    return kMostWriters + 1;
  }
  const std::size_t writers = std::max(why.sources->keys.size(), why.sources->queries.size());
  return std::min(kMostWriters + 1, writers);
}

}  // namespace

float WhyHeight(const Ui& ui) {
  if (!HeldCell(ui.state)) {
    return 0.0F;
  }
  // Title, headings, writers, the rest of them, the largest pair.
  return ui.Px(kLine) * static_cast<float>(LinesOfSides(ui.state.why) + 3) + ui.Px(20.0F);
}

void DrawWhyCell(Ui* ui, float x, float y, float width) {
  const ThemeColors& colors = ui->colors();
  const std::optional<WhyCell> cell = HeldCell(ui->state);
  const FullMap full = MapInFull(ui->state);
  if (!cell || full.query_tokens == nullptr || full.key_tokens == nullptr) {
    return;
  }
  const float line = ui->Px(kLine);
  const Why& why = ui->state.why;
  const Rect title{x, y, width, line};
  Area(ui,
       "why",
       title,
       "A score is query times key, and both are sums of what the parts of the model wrote into "
       "the two tokens before. Each line is what one part adds to the score; the parts add up to "
       "it.");
  float at = x + DrawTextIn(*ui, title, "Why this cell?", Type::kBold, colors.text);
  at += ui->Px(10.0F);
  const float room = x + width - at;
  const Rect beside{at, y, room, line};
  if (why.of != cell) {
    DrawTextIn(*ui, beside, "taking its score apart…", Type::kSmall, colors.dim, room);
    return;
  }
  if (why.sources == nullptr) {
    DrawParagraph(*ui, x, y + line, width, why.fault, Type::kSmall, colors.muted, kMostFaultLines);
    return;
  }
  const WhyWords words = WordsOfWhy(*why.sources, kMostWriters);
  DrawTextIn(*ui, beside, words.score, Type::kSmall, colors.muted, room);
  const float gap = ui->Px(22.0F);
  const float half = (width - gap) / 2.0F;
  const float top = y + line + ui->Px(6.0F);
  DrawSide(ui,
           x,
           top,
           half,
           {.id = "keys",
            .heading = fmt::format("in the key {}", TokenLabel(*full.key_tokens, cell->cell.key)),
            .tooltip = "What was written into the key's token before this layer, by whom",
            .lines = words.keys,
            .more = words.more_keys});
  DrawSide(
      ui,
      x + half + gap,
      top,
      half,
      {.id = "queries",
       .heading = fmt::format("in the query {}", TokenLabel(*full.query_tokens, cell->cell.query)),
       .tooltip = "What was written into the query's token before this layer, by whom",
       .lines = words.queries,
       .more = words.more_queries});
  const float bottom = top + line * static_cast<float>(LinesOfSides(why) + 1) + ui->Px(4.0F);
  DrawTextIn(*ui, {x, bottom, width, line}, words.pair, Type::kSmall, colors.muted, width);
}

}  // namespace headscope
