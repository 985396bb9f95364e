// The map of several heads: what it is of, and what it says and does not say.
#include <array>
#include <string>
#include <utility>

#include "app/state/inspect/joined.h"
#include "app/views/inspect/head_views.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/widgets.h"
#include "core/attention/joined_heads.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 5> kMapOf = {{
    {"Head", "The selected head alone"},
    {"× values",
     "Each weight times the length of its value: what the head takes, not only where it looks"},
    {"× outputs",
     "Each weight times the length of what the output projection makes of its value: what the head "
     "adds to the stream"},
    {"Mean", "The mean of all heads of the layer"},
    {"Rollout",
     "From the text to this layer: the mean of each layer's heads, half of each token kept"},
}};

}  // namespace

// At the right of the choice of views, where there is room; else below it.
void DrawMapOfChoice(Pen* pen, float used) {
  Ui* const ui = pen->ui;
  const HeadLook& look = ui->state.head_look;
  const float width = SegmentsWidth(*ui, kMapOf);
  const bool is_beside = used + ui->Px(8.0F) + width <= pen->width;
  if (!is_beside) {
    pen->Skip(36.0F);
  }
  const Rect place{is_beside ? pen->x + pen->width - width : pen->x,
                   pen->y - ui->Px(28.0F),
                   width,
                   ui->Px(28.0F)};
  if (const int pressed = Segments(ui, "map of", place, kMapOf, static_cast<int>(look.map_of));
      pressed >= 0) {
    HeadLook next = look;
    next.map_of = static_cast<MapOf>(pressed);
    ui->Do(SetHeadLook{std::move(next)});
  }
  if (look.map_of == MapOf::kHead || JoinedInView(ui->state) != nullptr) {
    return;
  }
  const std::string why = WhyNoMapOf(ui->state);
  const std::string& fault = why.empty() ? FaultOfMapOf(ui->state) : why;
  if (!fault.empty()) {
    pen->Skip(4.0F);
    pen->Small(fault, ui->colors().text);
  }
}

void DrawJoinedWords(Pen* pen, const FullMap& full) {
  const AppState& state = pen->ui->state;
  const LayerView layer = SelectedLayer(state);
  if (layer.layer == nullptr || full.map.layer == nullptr) {
    return;
  }
  if (const auto weighed = WeighedInView(state)) {
    const Token* const longest = TokenAt(*full.key_tokens, weighed->longest_key);
    pen->Paragraph(WeighedName(*weighed) + ".", Type::kBody, pen->ui->colors().text);
    pen->Small(WeighedScale(*weighed, longest != nullptr ? longest->display : "") +
                   "; rows add up to less than 1.",
               pen->ui->colors().muted);
    return;
  }
  const bool is_mean = state.head_look.map_of == MapOf::kMean;
  pen->Paragraph(JoinedName(*layer.layer, is_mean ? HeadsJoin::kMean : HeadsJoin::kRollout) + ".",
                 Type::kBody,
                 pen->ui->colors().text);
  pen->Small(is_mean ? "Heads differ: what the mean shows, none of them may do."
                     : "Values, output weights and MLPs are left out: it says what could flow, not "
                       "what matters.",
             pen->ui->colors().muted);
}

}  // namespace headscope
