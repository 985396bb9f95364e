// Which head the split separated: the children of a count by how far they lie from their parents.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/counts/panels.h"
#include "app/views/kit/pen.h"
#include "core/base/digits.h"

namespace headscope {
namespace {

constexpr double kLeastScale = 0.02;  // of bars: the longest one stands for no less

}  // namespace

void DrawSeparated(Pen* pen, const HeadFamily& family) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const HeadTreeState& tree = state.tree;
  const ThemeColors& colors = ui->colors();
  const auto& counts = state.counts.result->counts;
  const std::int64_t heads = counts[family.row].heads;
  Row title = pen->TopLine(22.0F);
  if (title.ButtonRight("order",
                        {.text = tree.largest_first ? "in their order" : "largest first",
                         .tooltip = "The heads that lie furthest from their parents first",
                         .type = Type::kSmall})) {
    ui->Do(SortSeparated{!tree.largest_first});
  }
  title.SkipRight(8.0F);
  title.Text("Which head differs most from its parent?", Type::kBold, colors.text);
  const std::vector<SeparatedHead> list = SeparatedHeads(state);
  std::string words =
      fmt::format("Divergence of each head of h = {} from its parent in h = {}, of 0.693 at most.",
                  heads,
                  counts[family.parent.row].heads);
  if (std::ranges::all_of(list,
                          [](const auto& each) { return each.is_measured && !each.divergence; })) {
    words += " No row of this text sees two keys: each has a single weight, 1, in every head.";
  }
  pen->Small(words, colors.muted);
  pen->Skip(2.0F);
  double most = kLeastScale;
  for (const SeparatedHead& each : list) {
    most = std::max(most, each.divergence.value_or(0.0));
  }
  const auto columns =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(pen->width / ui->Px(164.0F)), 1, 4);
  const std::int64_t lines = (std::ssize(list) + columns - 1) / columns;
  const float pitch = pen->width / static_cast<float>(columns);
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  Pen column = *pen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const SeparatedHead& each = list[i];
    const auto at = static_cast<std::int64_t>(i);
    if (at % lines == 0) {
      const std::int64_t place = at / lines;
      column = pen->Part(static_cast<float>(place) * pitch, pitch - ui->Px(10.0F));
    }
    Row row = column.Line(18.0F);
    const Pressed pressed = Area(ui,
                                 "separated",
                                 static_cast<int>(each.head),
                                 row.whole(),
                                 "Show this head beside its parent");
    const bool is_own = chosen && chosen->count == family.row && chosen->head == each.head;
    if (pressed.hovered || is_own) {
      FillRect(*ui, row.whole(), colors.raised, 4.0F);
    }
    const Rgb ink = is_own ? colors.accent : colors.text;
    const std::string number = each.divergence    ? WithDigits(*each.divergence)
                               : each.is_measured ? "–"
                                                  : "…";
    row.Skip(4.0F);
    row.SkipRight(4.0F);
    row.Cell(ui->Px(56.0F), fmt::format("head {}", each.head), Type::kMonoSmall, ink);
    row.TextRight(number, Type::kMonoSmall, ink);
    row.SkipRight(8.0F);
    if (const Rect room = row.rest(); room.width > 0.0F) {
      const auto part = static_cast<float>(each.divergence.value_or(0.0) / most);
      FillRect(*ui,
               {room.x, room.y + room.height * 0.36F, room.width * part, room.height * 0.28F},
               is_own ? colors.accent : colors.dim,
               2.0F);
    }
    if (pressed.clicked) {
      ui->Do(SelectCount{heads, each.head});
    }
  }
  pen->y += static_cast<float>(lines) * ui->Px(18.0F);
}

}  // namespace headscope
