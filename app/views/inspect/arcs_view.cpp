// The selected head, or several of its layer, as arcs over one line of text.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/state/inspect/text_tree.h"
#include "app/views/inspect/arcs_frame.h"
#include "app/views/inspect/head_views.h"
#include "app/views/inspect/tree_view.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kArcReach = 5.0F;

// The uppermost of the arcs near the pointer.
const KeptWeight* ArcAt(const ShownWeights& shown, const ArcsPlace& place, ImVec2 at, float reach) {
  const KeptWeight* nearest = nullptr;
  if (shown.kept == nullptr) {
    return nearest;
  }
  for (const KeptWeight& weight : shown.kept->weights) {
    const Stroke arc = ArcOf(weight, shown.inks, place);
    if (at.x < std::min(arc.x0, arc.x1) - reach || at.x > std::max(arc.x0, arc.x1) + reach) {
      continue;
    }
    const float distance = DistanceTo(arc, at.x, at.y);
    if (distance <= reach) {
      reach = distance;
      nearest = &weight;
    }
  }
  return nearest;
}

void DrawArcTools(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const bool shows_tree = ShowsTree(ui->state);
  if (!shows_tree) {
    DrawKeepTools(pen, panel);
  }
  Row row = pen->Line(28.0F);
  DrawTreeSwitch(&row);
  row.Skip(10.0F);
  if (!shows_tree && panel.full.query_tokens == panel.full.key_tokens) {
    DrawLooksChoice(ui, row.Left(LooksChoiceWidth(*ui)));
    row.Skip(10.0F);
  }
  const bool whole = ui->state.head_look.whole_line;
  if (row.Button("whole line",
                 {.text = "fit",
                  .tooltip = "The whole text in this width; else it is as wide as its words, and "
                             "the wheel or a drag moves it",
                  .active = whole})) {
    HeadLook next = ui->state.head_look;
    next.whole_line = !whole;
    ui->Do(SetHeadLook{std::move(next)});
  }
  pen->Skip(8.0F);
}

}  // namespace

void DrawArcsView(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const FullMap& full = panel.full;
  DrawArcTools(pen, panel);
  if (ShowsTree(ui->state)) {
    DrawTreeArcs(pen, panel);
    return;
  }
  ArcsFrame frame;
  PlaceArcs(ui, *pen, panel, false, &frame);
  RevealQuery(ui, panel, &frame);
  const ShownWeights shown = WeightsInView(ui, panel);
  std::vector<Stroke> strokes;
  const bool is_measured = std::ssize(frame.queries.middles) == full.map.queries() &&
                           (frame.is_one_text || std::ssize(frame.keys.middles) == full.map.keys());
  if (shown.kept != nullptr && is_measured) {
    strokes = ArcsBetween(shown.kept->weights, shown.inks, frame.place, frame.view);
  }
  PlaceStrokes(ui, std::move(strokes), frame.view, panel.dimmed);
  if (is_measured) {
    DrawCutCrosses(*ui, shown, frame.view, [&](const KeptWeight& weight) {
      return ArcOf(weight, shown.inks, frame.place);
    });
  }
  std::vector<bool> query_ends = TokensOf(shown, true, full.query_tokens->tokens.size());
  const std::vector<bool> key_ends = TokensOf(shown, false, full.key_tokens->tokens.size());
  const auto query = shown.point ? std::optional(shown.point->query) : std::nullopt;
  const auto key = shown.point ? shown.point->key : std::nullopt;
  if (frame.is_one_text) {
    for (std::size_t word = 0; word < query_ends.size(); ++word) {
      query_ends[word] = query_ends[word] || key_ends[word];
    }
  }
  DrawWordRow(*ui,
              {.tokens = *full.query_tokens,
               .line = frame.queries,
               .place = frame.query_row,
               .query = query,
               .key = frame.is_one_text ? key : std::nullopt,
               .ends = std::move(query_ends)},
              frame.place.left);
  if (!frame.is_one_text) {
    DrawWordRow(*ui,
                {.tokens = *full.key_tokens,
                 .line = frame.keys,
                 .place = frame.key_row,
                 .query = std::nullopt,
                 .key = key,
                 .ends = key_ends},
                frame.place.left);
  }
  if (is_measured) {
    const ArcsPointer pointer = HandleWords(ui, frame, panel);
    const KeptWeight* const weight =
        pointer.is_elsewhere ? ArcAt(shown, frame.place, {pointer.x, pointer.y}, ui->Px(kArcReach))
                             : nullptr;
    if (weight != nullptr) {
      PointAtWeight(ui, panel, shown, *weight, pointer.clicked);
    }
  }
  pen->y = frame.view.y + frame.view.height;
  pen->Skip(10.0F);
  DrawKeptWords(pen, shown);
}

}  // namespace headscope
