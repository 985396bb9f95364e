#include "app/views/inspect/why_panel.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/why_words.h"
#include "app/state/queries.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr WhyRoom kInShort{.writers = 4, .pairs = 3};
constexpr WhyRoom kInFull{.writers = 200, .pairs = kRankedTerms};  // of thousands: the rest is told
constexpr float kLine = 18.0F;                                     // unscaled
constexpr int kMostFaultLines = 3;

struct Side {
  const char* id = "";
  std::string heading;
  const char* tooltip = "";
  const std::vector<WhyLine>& lines;
  const std::string& more;
};

// A writer's name; of a head the way to it.
void DrawWriter(Ui* ui, const Rect& rect, const char* id, const WhyLine& line) {
  const ThemeColors& colors = ui->colors();
  Rgb color = colors.text;
  if (line.head) {
    const Pressed area = Area(ui, id, rect, "Go to this head");
    color = area.hovered ? colors.text : colors.accent;
    if (area.clicked && *line.head != ui->state.selection.head) {
      ui->Do(ClickHead{*line.head});
    }
  }
  DrawTextIn(*ui, rect, line.name, Type::kMonoSmall, color, rect.width - ui->Px(6.0F));
}

// Beside the names: a bar, and the number at the right.
void DrawTerm(Ui* ui, const Rect& rect, const WhyLine& line) {
  const ThemeColors& colors = ui->colors();
  const float bars = std::max(ui->Px(16.0F), rect.width - ui->Px(56.0F));
  DrawMeter(*ui,
            {rect.x, rect.y, bars, rect.height},
            {.to = line.length,
             .color = line.takes_away ? colors.muted : colors.accent,
             .is_outline = line.takes_away});
  DrawNumber(*ui,
             rect.x + rect.width - NumberWidth(*ui, line.number),
             rect.y + (rect.height - LineHeight(*ui, Type::kMonoSmall)) / 2.0F,
             line.number,
             line.takes_away ? colors.muted : colors.text);
}

void DrawLine(Ui* ui, const Rect& rect, const WhyLine& line) {
  const float names = rect.width * 0.52F;
  DrawWriter(ui, {rect.x, rect.y, names, rect.height}, "writer", line);
  DrawTerm(ui, {rect.x + names, rect.y, rect.width - names, rect.height}, line);
}

void DrawPairs(Ui* ui, float x, float y, float width, const WhyWords& words) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kLine);
  Area(ui,
       "pairs",
       {x, y, width, line},
       "The table behind both lists: each writer of the query times each writer of the key. All "
       "its cells add up to the score.");
  DrawTextIn(*ui,
             {x, y, width, line},
             "in the query × in the key, largest pairs",
             Type::kSmall,
             colors.muted,
             width);
  float top = y + line + ui->Px(2.0F);
  const float half = (width - ui->Px(22.0F)) / 2.0F;
  const float names = half * 0.52F + ui->Px(22.0F);
  for (std::size_t i = 0; i < words.pairs.size(); ++i) {
    const WhyPair& pair = words.pairs[i];
    ImGui::PushID(static_cast<int>(i));
    DrawWriter(ui, {x, top, names, line}, "query writer", pair.query);
    DrawTextIn(*ui, {x + names, top, ui->Px(14.0F), line}, "×", Type::kSmall, colors.dim);
    const float left = x + names + ui->Px(14.0F);
    DrawWriter(ui, {left, top, names, line}, "key writer", pair.key);
    DrawTerm(ui, {left + names, top, x + width - left - names, line}, pair.key);
    ImGui::PopID();
    top += line;
  }
  if (!words.more_pairs.empty()) {
    DrawTextIn(*ui, {x, top, width, line}, words.more_pairs, Type::kSmall, colors.dim, width);
  }
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

const WhyRoom& RoomOf(const Ui& ui) {
  return ui.memory->why_in_full ? kInFull : kInShort;
}

// So many lines of `count`, one for the rest of them included.
std::size_t LinesOf(std::size_t count, std::size_t room) {
  return count <= room ? count : room + 1;
}

// Of the longer side; the most before they are known.
std::size_t LinesOfSides(const Why& why, const WhyRoom& room) {
  if (why.answer == nullptr) {
    return kInShort.writers + 1;
  }
  return LinesOf(std::max(why.answer->keys.size(), why.answer->queries.size()), room.writers);
}

std::size_t LinesOfPairs(const Why& why, const WhyRoom& room) {
  return why.answer == nullptr ? kInShort.pairs + 1 : LinesOf(why.answer->terms.size(), room.pairs);
}

// Whether the short form leaves something out.
bool HasMore(const CellSources& sources) {
  return std::max(sources.keys.size(), sources.queries.size()) > kInShort.writers ||
         sources.terms.size() > kInShort.pairs;
}

}  // namespace

float WhyHeight(const Ui& ui) {
  if (!HeldCell(ui.state)) {
    return 0.0F;
  }
  // Title, headings, writers, the rest of them, another heading, pairs.
  const std::size_t lines =
      LinesOfSides(ui.state.why, RoomOf(ui)) + LinesOfPairs(ui.state.why, RoomOf(ui)) + 3;
  return ui.Px(kLine) * static_cast<float>(lines) + ui.Px(28.0F);
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
  if (why.answer == nullptr) {
    DrawParagraph(*ui, x, y + line, width, why.fault, Type::kSmall, colors.muted, kMostFaultLines);
    return;
  }
  const WhyWords words = WordsOfWhy(*why.answer, RoomOf(*ui));
  float score = room;
  if (HasMore(*why.answer)) {
    const bool is_full = ui->memory->why_in_full;
    const ButtonLook look{.text = is_full ? "Fewer" : "All",
                          .tooltip = is_full ? "Only those that count most"
                                             : "Every writer of both sides, and more of the pairs",
                          .type = Type::kSmall,
                          .bare = true};
    const float button = ButtonWidth(*ui, look);
    if (Button(ui, "all writers", {x + width - button, y, button, line}, look)) {
      ui->memory->why_in_full = !is_full;
      ui->WakeIn(0.0);
    }
    score -= button + ui->Px(8.0F);
  }
  DrawTextIn(*ui, {at, y, score, line}, words.score, Type::kSmall, colors.muted, score);
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
  const auto lines = static_cast<float>(LinesOfSides(why, RoomOf(*ui)) + 1);
  DrawPairs(ui, x, top + line * lines + ui->Px(8.0F), width, words);
}

}  // namespace headscope
