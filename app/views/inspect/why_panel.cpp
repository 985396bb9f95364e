#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/why_words.h"
#include "app/state/queries.h"
#include "app/views/cause_links.h"
#include "app/views/inspect/panels.h"
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
  HeadReading reading = {};  // what the held head makes of it
};

// A writer's name; of a head the way to it, of an MLP that to patching.
void DrawWriter(Ui* ui, const Rect& rect, const char* id, const WhyLine& line) {
  const ThemeColors& colors = ui->colors();
  if (line.mlp) {
    DrawMlpLink(ui, rect, *line.mlp, line.name);
    return;
  }
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

// Words over the lines of a list.
void DrawHeadingOfWhy(Pen* pen, const char* id, std::string_view words, const char* tooltip) {
  Row row = pen->Line(kLine);
  Area(pen->ui, id, row.whole(), tooltip);
  row.Text(words, Type::kSmall, pen->ui->colors().muted);
  pen->Skip(2.0F);
}

void DrawPairs(Pen* pen, const WhyWords& words) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  DrawHeadingOfWhy(
      pen,
      "pairs",
      "in the query × in the key, largest pairs",
      "The table behind both lists: each writer of the query times each writer of the key. All "
      "its cells add up to the score.");
  const float half = (pen->width - ui->Px(22.0F)) / 2.0F;
  const float names = half * 0.52F + ui->Px(22.0F);
  for (std::size_t i = 0; i < words.pairs.size(); ++i) {
    const WhyPair& pair = words.pairs[i];
    Row row = pen->Line(kLine);
    ImGui::PushID(static_cast<int>(i));
    DrawWriter(ui, row.Left(names), "query writer", pair.query);
    row.Cell(ui->Px(14.0F), "×", Type::kSmall, colors.dim);
    DrawWriter(ui, row.Left(names), "key writer", pair.key);
    DrawTerm(ui, row.rest(), pair.key);
    ImGui::PopID();
  }
  if (!words.more_pairs.empty()) {
    pen->Line(kLine).Text(words.more_pairs, Type::kSmall, colors.dim);
  }
}

void DrawSide(Pen pen, const Side& side) {
  Ui* const ui = pen.ui;
  ImGui::PushID(side.id);
  DrawHeadingOfWhy(&pen, "heading", side.heading, side.tooltip);
  for (std::size_t i = 0; i < side.lines.size(); ++i) {
    Row row = pen.Line(kLine);
    ImGui::PushID(static_cast<int>(i));
    Row name(ui, row.Left(pen.width * 0.52F));
    if (const auto& head = side.lines[i].head) {
      DrawPathLink(&name, *head, side.reading, "path");
    }
    DrawWriter(ui, name.rest(), "writer", side.lines[i]);
    DrawTerm(ui, row.rest(), side.lines[i]);
    ImGui::PopID();
  }
  pen.Line(kLine).Text(side.more, Type::kSmall, ui->colors().dim);
  ImGui::PopID();
}

const WhyRoom& RoomOf(const Ui& ui) {
  return ui.memory->why_in_full ? kInFull : kInShort;
}

// Lines of the longer side; the most before they are known.
std::size_t LinesOfSides(const Why& why, const WhyRoom& room) {
  if (why.answer == nullptr) {
    return kInShort.writers + 1;
  }
  return LinesWithRest(std::max(why.answer->keys.size(), why.answer->queries.size()), room.writers);
}

std::size_t LinesOfPairs(const Why& why, const WhyRoom& room) {
  return why.answer == nullptr ? kInShort.pairs + 1
                               : LinesWithRest(why.answer->terms.size(), room.pairs);
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

void DrawWhyCell(Pen* whole) {
  Ui* const ui = whole->ui;
  const ThemeColors& colors = ui->colors();
  const std::optional<WhyCell> cell = HeldCell(ui->state);
  const FullMap full = MapInFull(ui->state);
  Pen pen = *whole;
  whole->y += WhyHeight(*ui);
  if (!cell || full.query_tokens == nullptr || full.key_tokens == nullptr) {
    return;
  }
  const Why& why = ui->state.why;
  pen.Skip(10.0F);
  Row title = pen.Line(kLine);
  Area(ui,
       "why",
       title.whole(),
       "A score is query times key, and both are sums of what the parts of the model wrote into "
       "the two tokens before. Each line is what one part adds to the score; the parts add up to "
       "it.");
  title.Text("Why this cell?", Type::kBold, colors.text);
  title.Skip(10.0F);
  if (why.of != cell) {
    title.Text("taking its score apart…", Type::kSmall, colors.dim);
    return;
  }
  if (why.answer == nullptr) {
    pen.Paragraph(why.fault, Type::kSmall, colors.muted, kMostFaultLines);
    return;
  }
  const WhyWords words = WordsOfWhy(*why.answer, RoomOf(*ui));
  if (HasMore(*why.answer)) {
    const bool is_full = ui->memory->why_in_full;
    if (title.ButtonRight("all writers",
                          {.text = is_full ? "Fewer" : "All",
                           .tooltip = is_full ? "Only those that count most"
                                              : "Every writer of both sides, and more of the pairs",
                           .type = Type::kSmall,
                           .bare = true})) {
      ui->memory->why_in_full = !is_full;
      ui->WakeIn(0.0);
    }
    title.SkipRight(8.0F);
  }
  title.Text(words.score, Type::kSmall, colors.muted);
  pen.Skip(6.0F);
  const float gap = ui->Px(22.0F);
  const float half = (pen.width - gap) / 2.0F;
  const LayerAttention& layer = *cell->map.layer;
  const HeadIndex held{layer.layer(), cell->map.head, layer.part()};
  DrawSide(pen.Part(0.0F, half),
           {.id = "keys",
            .heading = fmt::format("in the key {}", TokenLabel(*full.key_tokens, cell->cell.key)),
            .tooltip = "What was written into the key's token before this layer, by whom",
            .lines = words.keys,
            .more = words.more_keys,
            .reading = {held, HeadInput::kKeys}});
  DrawSide(
      pen.Part(half + gap, half),
      {.id = "queries",
       .heading = fmt::format("in the query {}", TokenLabel(*full.query_tokens, cell->cell.query)),
       .tooltip = "What was written into the query's token before this layer, by whom",
       .lines = words.queries,
       .more = words.more_queries,
       .reading = {held, HeadInput::kQueries}});
  pen.y += ui->Px(kLine) * static_cast<float>(LinesOfSides(why, RoomOf(*ui)) + 1);
  pen.Skip(8.0F);
  DrawPairs(&pen, words);
}

}  // namespace headscope
