// The heads of a layer of A over those of B, with a line between each two that go together: the
// thicker, the less they differ. A click on a head of A selects it, on one of B pairs it by hand.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/compare/panels.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"
#include "core/figure/comparison_words.h"

namespace headscope {
namespace {

void DrawRowInCompareMatching(Ui* ui,
                              const MatchingLayout& layout,
                              bool is_a,
                              std::int64_t heads,
                              std::optional<std::int64_t> chosen,
                              const std::string& about) {
  const ThemeColors& colors = ui->colors();
  const float step = is_a ? layout.step_a : layout.step_b;
  const float name = TextWidth(*ui, "H00", Type::kMonoSmall) + ui->Px(4.0F);
  const auto every = std::max<std::int64_t>(1, std::lround(std::ceil(name / step)));
  const auto place_of = [&](std::int64_t head) {
    return is_a ? layout.HeadOfA(head) : layout.HeadOfB(head);
  };
  for (std::int64_t head = 0; head < heads; ++head) {
    const Rect box = Inset(place_of(head), std::min(ui->Px(2.0F), step * 0.1F), 0.0F);
    const bool is_chosen = chosen == head;
    FillRect(
        *ui, box, is_chosen ? Blend(colors.raised, colors.accent, 0.35F) : colors.raised, 4.0F);
    FrameRect(*ui, box, is_chosen ? colors.accent : colors.line, 4.0F);
  }
  // Over the boxes, which may be narrower; names step aside for the chosen one's.
  for (std::int64_t head = 0; head < heads; ++head) {
    const Rect box = place_of(head);
    const bool is_chosen = chosen == head;
    const bool is_near = chosen && !is_chosen && std::abs(*chosen - head) < every;
    if ((head % every == 0 && !is_near) || is_chosen) {
      const std::string words = fmt::format("H{}", head);
      const float width = TextWidth(*ui, words, Type::kMonoSmall);
      DrawTextIn(*ui,
                 {box.x + (box.width - width) / 2.0F, box.y, width, box.height},
                 words,
                 Type::kMonoSmall,
                 is_chosen ? colors.text : colors.muted);
    }
  }
  Rect row = place_of(0);
  row.width *= static_cast<float>(heads);
  const Pressed pressed = Area(ui, is_a ? "heads of A" : "heads of B", row, "");
  if (!pressed.hovered) {
    return;
  }
  const auto head = std::clamp<std::int64_t>(
      static_cast<std::int64_t>((ImGui::GetIO().MousePos.x - row.x) / step), 0, heads - 1);
  const ComparedHeads pair = SelectedPair(ui->state);
  const std::string words =
      is_a ? fmt::format("A's H{}: {}", head, about)
           : fmt::format("B's H{}: {} nats from A's H{}; {}",
                         head,
                         ShortDivergence(pair.layer->Divergence(pair.head.head, head)),
                         pair.head.head,
                         about);
  TooltipForItem(ui, static_cast<std::uint32_t>((is_a ? 5000000 : 6000000) + head), true, words);
  if (!pressed.clicked) {
    return;
  }
  if (!is_a) {
    ui->Do(PairByHand{pair.head, head});
  } else if (head != pair.head.head || !ui->state.selection.head_locked) {
    ui->Do(ClickHead{{pair.head.layer, head, pair.head.part}});
  }
}

}  // namespace

void DrawMatching(Pen* pen) {
  Ui* const ui = pen->ui;
  const ComparedHeads selected = SelectedPair(ui->state);
  if (selected.layer == nullptr) {
    return;
  }
  const ThemeColors& colors = ui->colors();
  const LayerComparison& layer = *selected.layer;
  Row title = pen->Line(26.0F);
  DrawTextIn(*ui,
             title.whole(),
             fmt::format("Matching of {}", LayerName({selected.head.part, layer.layer})),
             Type::kBold,
             colors.text);
  if (!ui->state.compare.by_hand.empty()) {
    const ButtonLook look{.text = "Reset",
                          .tooltip = "Forget the pairs made by hand; the least divergence decides",
                          .type = Type::kSmall};
    Rect reset = title.Right(ButtonWidth(*ui, look));
    reset.height -= ui->Px(2.0F);
    if (Button(ui, "reset pairs", reset, look)) {
      ui->Do(ResetPairs);
    }
  }
  pen->Skip(6.0F);
  Row field = pen->Line(120.0F);
  const Rect letters = field.Left(ui->Px(18.0F));
  const MatchingLayout layout =
      LayOutMatching(field.rest(), layer.heads_a, layer.heads_b, ui->scale);
  for (const bool is_a : {true, false}) {
    const float y = (is_a ? layout.HeadOfA(0) : layout.HeadOfB(0)).y;
    const Rect place{letters.x, y, letters.width, layout.height};
    DrawTextIn(*ui, place, is_a ? "A" : "B", Type::kBold, colors.accent);
  }
  const auto largest = static_cast<double>(ScaleOfDivergence(ui->state).high);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const auto draw_line = [&](const ComparedHeads& pair) {
    if (!pair.other) {
      return;
    }
    const Rect a = layout.HeadOfA(pair.head.head);
    const Rect b = layout.HeadOfB(*pair.other);
    const double apart = pair.divergence.value_or(0.0) / largest;
    const bool is_selected = pair.head == selected.head;
    const auto thick = static_cast<float>(1.0 + 7.0 * std::clamp(1.0 - apart, 0.0, 1.0));
    list->AddLine({a.x + a.width / 2.0F, a.y + a.height},
                  {b.x + b.width / 2.0F, b.y},
                  ToImGui(is_selected    ? colors.accent
                          : pair.by_hand ? colors.text
                                         : Blend(colors.panel, colors.muted, 0.7F)),
                  ui->Px(std::min(thick, std::max(1.0F, layout.step_a / ui->scale * 0.5F))));
  };
  for (std::int64_t head = 0; head < layer.heads_a; ++head) {
    const ComparedHeads pair = ComparedAt(ui->state, {layer.layer, head, selected.head.part});
    if (pair.head != selected.head) {
      draw_line(pair);
    }
  }
  draw_line(selected);
  DrawRowInCompareMatching(ui, layout, true, layer.heads_a, selected.head.head, "click selects it");
  DrawRowInCompareMatching(
      ui, layout, false, layer.heads_b, selected.other, "click pairs them by hand");
  pen->Skip(6.0F);
  pen->Small(
      "The thicker the line, the less the two differ. Click a head of B to pair the selected head of "
      "A with it.",
      colors.dim);
}

}  // namespace headscope
