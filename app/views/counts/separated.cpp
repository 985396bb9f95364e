// Which head the split separated: the children of a count by how far they lie from their parents.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/counts/panels.h"
#include "app/views/kit/widgets.h"
#include "core/base/digits.h"

namespace headscope {
namespace {

constexpr double kLeastScale = 0.02;  // of bars: the longest one stands for no less

}  // namespace

float DrawSeparated(Ui* ui, float x, float y, float width) {
  const AppState& state = ui->state;
  const HeadTreeState& tree = state.tree;
  const ThemeColors& colors = ui->colors();
  const std::optional<HeadFamily> family = FamilyOf(state);
  if (!family) {
    return 0.0F;
  }
  const float top = y;
  const auto& counts = state.counts.result->counts;
  const std::int64_t heads = counts[family->row].heads;
  const ButtonLook look{.text = tree.largest_first ? "in their order" : "largest first",
                        .tooltip = "The heads that lie furthest from their parents first",
                        .type = Type::kSmall};
  const float button = ButtonWidth(*ui, look);
  DrawText(*ui,
           x,
           y,
           "Which head did the split separate?",
           Type::kBold,
           colors.text,
           width - button - ui->Px(8.0F));
  if (Button(ui, "order", {x + width - button, y, button, ui->Px(22.0F)}, look)) {
    ui->Do(SetTreeLook{!tree.largest_first, tree.is_in_full, tree.is_unfolded});
  }
  y += ui->Px(22.0F);
  const std::vector<SeparatedHead> list = SeparatedHeads(state);
  std::string words =
      fmt::format("Divergence of each head of h = {} from its parent in h = {}, of 0.693 at most.",
                  heads,
                  counts[family->parent.row].heads);
  if (std::ranges::all_of(list,
                          [](const auto& each) { return each.is_measured && !each.divergence; })) {
    words += " No row of this text sees two keys: each has a single weight, 1, in every head.";
  }
  y += DrawParagraph(*ui, x, y, width, words, Type::kSmall, colors.muted) + ui->Px(2.0F);
  double most = kLeastScale;
  for (const SeparatedHead& each : list) {
    most = std::max(most, each.divergence.value_or(0.0));
  }
  const float line = ui->Px(18.0F);
  const auto columns =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(width / ui->Px(164.0F)), 1, 4);
  const std::int64_t lines = (std::ssize(list) + columns - 1) / columns;
  const float pitch = width / static_cast<float>(columns);
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const SeparatedHead& each = list[i];
    const auto at = static_cast<std::int64_t>(i);
    const Rect rect{x + static_cast<float>(at / lines) * pitch,
                    y + static_cast<float>(at % lines) * line,
                    pitch - ui->Px(10.0F),
                    line};
    ImGui::PushID(static_cast<int>(each.head));
    const Pressed pressed = Area(ui, "separated", rect, "Show this head beside its parent");
    ImGui::PopID();
    const bool is_own = chosen && chosen->count == family->row && chosen->head == each.head;
    if (pressed.hovered || is_own) {
      FillRect(*ui, rect, colors.raised, 4.0F);
    }
    const Rgb ink = is_own ? colors.accent : colors.text;
    DrawTextIn(*ui,
               {rect.x + ui->Px(4.0F), rect.y, rect.width, rect.height},
               fmt::format("head {}", each.head),
               Type::kMonoSmall,
               ink);
    const std::string number = each.divergence    ? WithDigits(*each.divergence)
                               : each.is_measured ? "–"
                                                  : "…";
    const float wide = TextWidth(*ui, number, Type::kMonoSmall);
    DrawTextIn(*ui,
               {rect.x + rect.width - wide - ui->Px(4.0F), rect.y, wide, rect.height},
               number,
               Type::kMonoSmall,
               ink);
    const float from = ui->Px(60.0F);
    const float room = rect.width - from - wide - ui->Px(12.0F);
    if (room > 0.0F) {
      const auto part = static_cast<float>(each.divergence.value_or(0.0) / most);
      FillRect(*ui,
               {rect.x + from, rect.y + line * 0.36F, room * part, line * 0.28F},
               is_own ? colors.accent : colors.dim,
               2.0F);
    }
    if (pressed.clicked) {
      ui->Do(SelectCount{heads, each.head});
    }
  }
  return y + static_cast<float>(lines) * line - top;
}

}  // namespace headscope
