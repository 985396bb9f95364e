// How a layer is cut: which columns a head has, under which weights, of which input, into how many.
#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/state/counts/head_tree.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "app/views/walk/panels.h"

namespace headscope {
namespace {

constexpr float kHeight = 28.0F;
constexpr float kFoldedBelow = 960.0F;  // unscaled width

constexpr std::array<SegmentChoice, 4> kColumnChoices = {{
    {"contiguous", "Neighbouring columns: head 0 has the first D/h, head 1 the next"},
    {"strided", "Every h-th column: head 0 has 0, h, 2h, ..."},
    {"random", "Columns drawn for each head by itself: some are drawn twice, some never"},
    {"overlapping",
     "Neighbouring columns that heads share: K columns each, about 2 D/h, so that half of a head's "
     "are the next one's too"},
}};
SegmentChoice ChoiceOf(SplitWeights weights) {
  switch (weights) {
    case SplitWeights::kTrained:
      break;
    case SplitWeights::kStepZero:
      return {"at step 0", "The model's own step 0: its first checkpoint reads the same text"};
    case SplitWeights::kRandom:
      return {"random", "Random weights of variance 1/d in this layer alone, by the seed"};
    case SplitWeights::kOnes:
      return {"all equal",
              "Every weight is 1: all heads are the same head, and only the scale is left"};
  }
  return {"trained", "The model's own projections"};
}

constexpr std::array<SegmentChoice, 2> kInputChoices = {{
    {"of the text", "What the layer reads of this text"},
    {"drawn", "Normal numbers in place of the text: not every row has the same sum"},
}};

// The place of a control after its name, which stays with it where the toolbar wraps.
Rect NextNamed(Ui* ui, Flow* flow, const char* name, float width) {
  const float named = *name != '\0' ? TextWidth(*ui, name, Type::kBody) + ui->Px(10.0F) : 0.0F;
  // Where there is no room for both the choices tell what they are.
  const bool fits = named + width <= ui->layout.middle_visible.width - ui->Px(28.0F);
  Row place(ui, flow->Next(width + (fits ? named : 0.0F), ui->Px(kHeight)));
  if (fits) {
    place.Cell(named, name, Type::kBody, ui->colors().muted);
  }
  return place.rest();
}

int ChooseInCountsToolbar(Ui* ui,
                          Flow* flow,
                          const char* id,
                          const char* name,
                          std::span<const SegmentChoice> choices,
                          int chosen) {
  const Rect place = NextNamed(ui, flow, name, SegmentsWidth(*ui, choices));
  return Segments(ui, id, place, choices, chosen);
}

void DrawLayers(Ui* ui, Flow* flow) {
  const std::vector<std::int64_t> layers = LayersInView(ui->state);
  std::vector<std::string> names;
  names.reserve(layers.size());
  for (const std::int64_t layer : layers) {
    names.push_back(fmt::format("{}", layer));
  }
  const auto selected =
      std::ranges::lower_bound(layers, ui->state.selection.head.layer) - layers.begin();
  // In groups, so that a deep model's layers wrap.
  constexpr std::size_t kGroup = 16;
  for (std::size_t first = 0; first < names.size(); first += kGroup) {
    std::vector<SegmentChoice> choices;
    for (std::size_t i = first; i < std::min(names.size(), first + kGroup); ++i) {
      choices.push_back({names[i], "Cut this layer"});
    }
    const int chosen = static_cast<int>(selected) - static_cast<int>(first);
    const std::string id = fmt::format("layers {}", first);
    const int pressed =
        ChooseInCountsToolbar(ui, flow, id.c_str(), first == 0 ? "Layer" : "", choices, chosen);
    if (pressed >= 0) {
      ui->Do(SelectLayer{layers[first + static_cast<std::size_t>(pressed)]});
    }
  }
}

void DrawSeed(Ui* ui, Flow* flow) {
  const SplitRequest& how = ui->state.tree.how;
  if (!IsDrawn(how)) {
    return;
  }
  const std::string text = fmt::format("seed {} ↻", how.seed);
  if (flow->Button("seed",
                   {.text = text, .key = "N", .tooltip = "Draw anew, with the next seed (N)"})) {
    ui->Do(CutAs{DrawnAnew(how)});
  }
}

void DrawColumns(Ui* ui, Flow* flow) {
  const HeadTreeState& tree = ui->state.tree;
  SplitRequest how = tree.how;
  const int pressed = ChooseInCountsToolbar(
      ui, flow, "columns", "Columns", kColumnChoices, static_cast<int>(how.segments));
  if (pressed >= 0) {
    how.segments = static_cast<SegmentKind>(pressed);
    ui->Do(CutAs{how});
  }
  if (how.segments == SegmentKind::kRandom || how.segments == SegmentKind::kOverlapping) {
    const bool overlaps = how.segments == SegmentKind::kOverlapping;
    DrawCutNumberField(
        ui,
        NextNamed(ui, flow, "", ui->Px(84.0F)),
        {.field = CutField::kHeadDim,
         .name = "columns a head",
         .text = tree.texts.head_dim,
         .hint = overlaps ? "K ≈ 2D/h" : "K = D/h",
         .tooltip = overlaps ? "How many columns a head has; nothing: 2 D/(h + 1), so that "
                               "neighbours share half of them"
                             : "How many columns a head has; nothing: D/h, rounded down"});
  }
}

void DrawWeightsAndInput(Ui* ui, Flow* flow) {
  const HeadTreeState& tree = ui->state.tree;
  SplitRequest how = tree.how;
  const std::vector<SplitWeights> offered = WeightsOffered(ui->state);
  std::vector<SegmentChoice> weights;
  std::ranges::transform(offered, std::back_inserter(weights), ChoiceOf);
  const LayerView layer = SelectedLayer(ui->state);
  const SplitWeights now =
      layer.layer != nullptr ? CutOf(ui->state, *layer.layer).weights : how.weights;
  int pressed =
      ChooseInCountsToolbar(ui,
                            flow,
                            "weights",
                            "Weights",
                            weights,
                            static_cast<int>(std::ranges::find(offered, now) - offered.begin()));
  if (pressed >= 0) {
    how.weights = offered[static_cast<std::size_t>(pressed)];
    ui->Do(CutAs{how});
  }
  pressed = ChooseInCountsToolbar(
      ui, flow, "input", "Input", kInputChoices, static_cast<int>(how.InputUsed()));
  if (pressed >= 0) {
    how.input = static_cast<SplitInput>(pressed);
    ui->Do(CutAs{how});
  }
  DrawCutNumberField(
      ui,
      NextNamed(ui, flow, "", ui->Px(66.0F)),
      {.field = CutField::kScale,
       .name = "input scale",
       .text = tree.texts.scale,
       .hint = "× 1.0",
       .tooltip = "What the input is multiplied by: 0.01 makes every softmax flat, 100 "
                  "makes it one-hot"});
  DrawCutNumberField(
      ui,
      NextNamed(ui, flow, "extra h", ui->Px(104.0F)),
      {.field = CutField::kCounts,
       .name = "head counts",
       .text = tree.texts.counts,
       .hint = "3, 6, 12",
       .tooltip = "Head counts beside 1, 2, 4, ...: any, also those that do not divide "
                  "the columns"});
}

}  // namespace

void DrawCutNumberField(Ui* ui, const Rect& place, const CutNumberField& field) {
  const ThemeColors& colors = ui->colors();
  FillRect(*ui, place, colors.background, 7.0F);
  const auto edited = DrawField(ui,
                                field.name,
                                place,
                                field.text,
                                {.hint = field.hint,
                                 .tooltip = field.tooltip,
                                 .type = Type::kMono,
                                 .rules = {.many_lines = false, .most_bytes = field.most_bytes},
                                 .pad = 8.0F});
  const bool has_keys = ui->memory->fields.IsFocused(field.name);
  FrameRect(*ui, place, has_keys ? colors.accent : colors.line, 7.0F);
  if (edited) {
    ui->Do(EditCut{field.field, *edited});
  }
}

float DrawCountsToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  const HeadTreeState& tree = ui->state.tree;
  DrawWalkButton(ui, &flow);
  DrawPartSwitch(ui, &flow);
  DrawLayers(ui, &flow);
  DrawColumns(ui, &flow);
  DrawSeed(ui, &flow);
  const bool folds = area.width < ui->Px(kFoldedBelow);
  if (folds) {
    if (flow.Button("fold",
                    {.text = tree.is_unfolded ? "Less ▴" : "Weights, input, h ▾",
                     .tooltip = "Under which weights, of which input, into how many heads",
                     .bare = true})) {
      ui->Do(UnfoldToolbar{!tree.is_unfolded});
    }
  }
  if (!folds || tree.is_unfolded) {
    DrawWeightsAndInput(ui, &flow);
  }
  if (!tree.texts.fault.empty()) {
    const float width = std::min(TextWidth(*ui, tree.texts.fault, Type::kSmall), area.width * 0.9F);
    Row(ui, flow.Next(width, ui->Px(kHeight)))
        .Text(tree.texts.fault, Type::kSmall, ui->colors().text);
  }
  DrawMapSettings(ui, &flow);
  return flow.height();
}

}  // namespace headscope
