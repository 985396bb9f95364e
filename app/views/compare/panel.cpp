// The Compare screen: chips and settings above, what stands there before there is a result, and
// its parts.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/patching.h"
#include "app/state/compare/weights.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_box.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/figure/comparison_words.h"

namespace headscope {
namespace {

constexpr float kCompareControl = 28.0F;

// "A" and its name; opens a menu.
void Chip(Ui* ui,
          Flow* flow,
          const char* id,
          const std::string& letter,
          const std::string& name,
          std::string_view tooltip,
          float most,
          Popup popup) {
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(10.0F);
  const float mark = TextWidth(*ui, letter, Type::kBold) + ui->Px(8.0F);
  const float arrow = ui->Px(16.0F);
  const float wanted = mark + TextWidth(*ui, name, Type::kBody) + arrow + 2.0F * pad;
  const float width = std::max(ui->Px(90.0F), std::min(wanted, most));
  const Rect rect = flow->Next(width, ui->Px(kCompareControl));
  const Pressed pressed = Area(ui, id, rect, tooltip);
  FillRect(
      *ui, rect, pressed.hovered ? Blend(colors.raised, colors.text, 0.06F) : colors.raised, 7.0F);
  FrameRect(*ui, rect, colors.line, 7.0F);
  Row row(ui, Inset(rect, pad, 0.0F));
  row.Cell(mark, letter, Type::kBold, colors.accent);
  row.Right(arrow);
  row.Text(name, Type::kBody, colors.text);
  DrawTextIn(*ui,
             {rect.x + rect.width - pad - ui->Px(8.0F), rect.y, arrow, rect.height},
             "▾",
             Type::kBody,
             colors.muted);
  if (pressed.clicked) {
    ui->memory->popup_anchor = rect;
    ui->Do(OpenPopup{popup});
  }
}

void DrawOtherSentence(Ui* ui, Flow* flow, const Rect& area) {
  const auto& other = ui->state.compare.other;
  if (!other || !other->input || !other->input->ids.empty()) {
    return;
  }
  const float width = std::clamp(area.width - ui->Px(560.0F), ui->Px(220.0F), ui->Px(620.0F));
  DrawTextBox(ui,
              flow->Next(width, ui->Px(32.0F)),
              {.name = "sentence of B",
               .text = other->input->text,
               .hint = "The sentence of side B",
               .hint_color = ui->colors().dim,
               .tooltip = "What side B reads; words that both sentences have are matched in order",
               .note = "B",
               .clear_tooltip = {},
               .edit = [](const std::string& text) -> Action { return EditOther{text}; }});
}

bool IsOverMap(Ui* ui) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return std::ranges::any_of(DrawingOf(ui).map_rects,
                             [&mouse](const Rect& map) { return Contains(map, mouse.x, mouse.y); });
}

void DrawOffers(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const float width = std::max(ui->Px(80.0F), std::min(ui->Px(520.0F), area.width - ui->Px(48.0F)));
  const float x = area.x + std::max(0.0F, (area.width - width) / 2.0F);
  BeginScroll("offers", area);
  const float above = std::max(ui->Px(20.0F), area.height * 0.12F);
  Pen pen{ui, x, area.y + above - ImGui::GetScrollY(), width};
  if (const PatchLook& look = ui->state.compare.patch_look; look.is_shown) {
    const auto receivers = PathReceivers(ui->state);
    const std::string what = !look.paths.is_shown ? "heads and layers"
                             : receivers.empty()
                                 ? "direct effects"
                                 : "the path into " + HeadName(receivers.front().head);
    pen.Paragraph(
        fmt::format("To patch {}, the second text is missing: choose another sentence with as many "
                    "tokens as side B, below.",
                    what),
        Type::kBody,
        ui->colors().accent);
    pen.Skip(10.0F);
  }
  pen.Text("Compare any two", Type::kTitle, colors.text, 40.0F);
  pen.Paragraph(
      "Side A is what is open: the model and the sentence above. Choose a side B, and each head of A "
      "stands beside the head of B that looks most like it, with how far the two lie apart.",
      Type::kBody,
      colors.muted);
  pen.Skip(18.0F);
  for (const ComparisonOffer& offer : OffersOf(ui->state)) {
    if (DrawCard(&pen, offer.title, offer.about)) {
      ui->Do(CompareWith{offer.other});
    }
    pen.Skip(10.0F);
  }
  pen.Skip(4.0F);
  const ButtonLook look{.text = "Another model, sentence or file …",
                        .key = "B",
                        .tooltip = "Recent models, checkpoints, a folder or file, a sentence"};
  const Rect rect = pen.Line(32.0F).Left(ButtonWidth(*ui, look));
  PopupButton(ui, "choose B", rect, look, Popup::kCompare);
  ImGui::SetCursorScreenPos({pen.x, pen.y});
  ImGui::Dummy({1.0F, ui->Px(16.0F)});
  EndScroll();
}

}  // namespace

std::string NameOfPair(const ComparedHeads& pair) {
  return pair.other ? HeadName(pair.head) + " ↔ " +
                          HeadName({pair.head.layer, *pair.other, pair.head.part})
                    : HeadName(pair.head);
}

std::string DivergenceText(const ComparedHeads& pair) {
  if (pair.divergence) {
    return ShortDivergence(*pair.divergence) + " nats";
  }
  return pair.other ? "no row counts" : "no partner";
}

float DrawCompareToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  const AppState& state = ui->state;
  const float most = std::max(ui->Px(120.0F), area.width * 0.34F);
  Chip(ui,
       &flow,
       "side A",
       "A",
       NameOfA(state),
       "Side A: the open model and the sentence above. Click: another model (M)",
       most,
       Popup::kModels);
  const bool has_b = state.compare.other.has_value();
  if (flow.Button("swap sides",
                  {.text = "⇄",
                   .tooltip = "Swap A and B: B is opened, A stands beside it",
                   .enabled = has_b && state.compare.other->cut_heads == 0})) {
    ui->Do(SwapSides);
  }
  Chip(ui,
       &flow,
       "side B",
       "B",
       NameOfB(state),
       "Side B: another model, checkpoint, file or sentence (B)",
       most,
       Popup::kCompare);
  if (has_b &&
      flow.Button(
          "no side B",
          {.text = "×", .tooltip = "Compare with nothing; its memory is let go", .bare = true})) {
    ui->Do(CompareNothing);
  }
  DrawOtherSentence(ui, &flow, area);
  if (has_b) {
    DrawPartSwitch(ui, &flow);
    // Beside a second sentence there is room for values alone.
    const ToolbarChoice tokens = TokensChoice(state);
    DrawMapSettings(ui,
                    &flow,
                    state.compare.other->input ? 0.0F : ui->layout.middle_visible.width,
                    {&tokens, IsPatching(state) ? 0U : 1U});
    DrawPatchToolbar(ui, &flow);
  }
  if (IsPatching(state)) {
    DrawAllTokens(ui, &flow, "what is patched are heads on the whole text");
  }
  DrawOwnWeights(ui, &flow, "heads are matched, and told apart, by where they look");
  return flow.height();
}

bool TakeCompareLetter(Ui* ui, char letter) {
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'b':
      ui->memory->popup_anchor = {
          ui->layout.middle.x + ui->Px(14.0F), ui->layout.middle.y, 0.0F, ui->Px(40.0F)};
      OpenForTyping(ui, Popup::kCompare);
      return true;
    case 'w': {
      CompareLook look = ui->state.compare.look;
      look.view = static_cast<CompareView>((static_cast<int>(look.view) + 1) % 3);
      ui->Do(SetCompareLook{look});
      return true;
    }
    default:
      return false;
  }
}

void DrawCompare(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const CompareState& compare = state.compare;
  Rect view = area;
  view.width = std::min(area.width, ui->layout.middle_visible.width);
  if (view.width < 2.0F || view.height < 2.0F) {
    return;
  }
  if (!compare.other) {
    DrawOffers(ui, view);
    return;
  }
  if (ShowsWeights(state)) {
    DrawWeights(ui, view);
    return;
  }
  if (compare.result == nullptr) {
    const bool fails = !compare.fault.empty() && IsCompared(state);
    DrawWordsInstead(
        ui,
        view,
        fails ? "No comparison: " + compare.fault
              : "Comparing: side B is run over its text, and every head of A is set beside every "
                "head of B.");
    return;
  }
  if (IsPatching(state)) {
    const float strip = std::min(view.height, DrawPatchStrip(ui, view));
    view.y += strip;
    view.height -= strip;
  }
  const bool patches = IsPatching(state) && WhyNotPatched(state).empty();
  const auto draw_heads = [&](const CompareLayout& at) {
    (patches ? DrawPatchedHeads : DrawComparedHeads)(ui, at.heads);
    (patches ? DrawLargestPatches : DrawFurthestPairs)(ui, at.list);
  };
  const auto layers = std::ssize(compare.result->comparison.layers);
  CompareLayout layout = LayOutCompare(view, layers, WishOfPair(ui), ui->scale);
  const Rect& scrolled = layout.scrolled;
  if (scrolled.width <= 0.0F) {
    draw_heads(layout);
    DrawComparedPair(ui, layout.pair);
    return;
  }
  const bool has_all = scrolled.y < layout.pair.y;  // else the heads stay where they are
  if (!has_all) {
    draw_heads(layout);
  }
  BeginScroll("compared", scrolled, false, IsOverMap(ui));
  ImGui::Dummy({1.0F, layout.pair.y + layout.pair.height - scrolled.y});
  const float by = ImGui::GetScrollY();
  layout.pair.y -= by;
  if (has_all) {
    layout.heads.y -= by;
    layout.list.y -= by;
    draw_heads(layout);
  }
  ui->region(Panel::kMiddle).maps_clip = scrolled;
  DrawComparedPair(ui, layout.pair);
  EndScroll();
}

}  // namespace headscope
