// What the selected head does on this text, in words.
#include "app/state/inspect/head_words.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/state/inspect/head_cost.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_panel.h"

namespace headscope {
namespace {

constexpr int kLines = 2;  // always so much room, so that nothing below moves

// The row that words are of, made once for a map, a row and a role.
const HeadSentence& SentenceOf(Ui* ui, const FullMap& full, const HeadRole& role) {
  HeadSentence& kept = ui->memory->head_sentence;
  const Selection& selection = ui->state.selection;
  // A row that a person points at or keeps; else the one that shows the role.
  const std::optional<std::int64_t> asked =
      selection.point ? std::optional(selection.point->query) : std::nullopt;
  if (kept.map == full.map && kept.asked == asked && kept.role == role.role &&
      kept.metric == role.metric) {
    return kept;
  }
  kept = {.map = full.map,
          .asked = asked,
          .role = role.role,
          .metric = role.metric,
          .row = {},
          .words = {}};
  const bool is_one_text = full.query_tokens == full.key_tokens;
  const std::optional<std::int64_t> row =
      asked || !is_one_text ? asked : RowOfRole(full.map, *full.key_tokens, role);
  const std::int64_t query =
      std::clamp<std::int64_t>(row.value_or(selection.row.value_or(0)), 0, full.map.queries() - 1);
  kept.row = query;
  kept.words = RowInWords(RowAt(ui, full, query), role);
  return kept;
}

CostWords LossWords(const AppState& state) {
  if (const std::optional<CostPlace> cost = CostPlaceInView(state)) {
    return WordsOfCost(state, *cost);
  }
  const bool is_off = IsHeadOff(state, state.selection.head);
  return {.line = is_off ? "It is off: the band over the maps says what that costs."
                  : state.heads_off.chosen.IsEmpty() ? "Without it: …"
                  : state.heads_off.chosen.heads.empty()
                      ? "Edges are cut: the band over the maps says which."
                      : "Other heads are off: the band over the maps says which.",
          .more = {}};
}

// What losing it costs, what it writes, and the way to the model without it.
void DrawCost(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  if (!state.screen->looks_at_tokens || !WhyNoHeadsOff(state).empty() ||
      !ShownModel(state)->reads_tokens()) {
    return;
  }
  pen->Skip(4.0F);
  Row row(ui, pen->Take(kLines * LineHeight(*ui, Type::kSmall)));
  const ButtonLook look{.text = IsHeadOff(state, state.selection.head) ? "Head on" : "Head off",
                        .key = HasParts(state) ? "Del" : "X",
                        .tooltip =
                            "What do later heads and the loss become without this head? "
                            "Several can be off at once; the key takes the pointed one",
                        .type = Type::kSmall};
  if (Button(ui, "take away", row.Right(ButtonWidth(*ui, look)), look)) {
    ui->Do(SwitchHead{state.selection.head});
  }
  row.SkipRight(10.0F);
  const CostWords words = LossWords(state);
  const Rect place = row.rest();
  DrawParagraph(
      *ui, place.x, place.y, place.width, words.line, Type::kSmall, ui->colors().muted, kLines);
  Area(ui, "head cost", place, words.line + (words.more.empty() ? "" : "\n" + words.more));
}

}  // namespace

void DrawHeadWords(Pen* pen, const FullMap& full) {
  Ui* const ui = pen->ui;
  const HeadIndex head = ui->state.selection.head;
  const HeadRole role = RoleInView(ui->state, head);
  const HeadSentence& sentence = SentenceOf(ui, full, role);
  const std::string words = fmt::format("{}: {}.", HeadInWords(head, role), sentence.words);
  const Rect place = pen->Take(kLines * LineHeight(*ui, Type::kBody));
  DrawParagraph(*ui, place.x, place.y, place.width, words, Type::kBody, ui->colors().text, kLines);
  const Pressed pressed = Area(ui, "head words", place, words + "\nclick to keep this row");
  if (pressed.clicked && sentence.row) {
    ui->Do(ClickCell{MapPoint{.query = *sentence.row}});
  }
  DrawCost(pen);
}

}  // namespace headscope
