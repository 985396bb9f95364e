// How a layer is cut: which columns a head has, under which weights, of which input, into how many.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/counts/head_tree.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "app/views/walk/panels.h"

namespace headscope {
namespace {

constexpr float kHeight = 28.0F;

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
      return {"untrained", "The model's own step 0: its first checkpoint reads the same text"};
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
    {"random", "Normal numbers in place of the text: not every row has the same sum"},
}};

SplitWeights WeightsNow(const AppState& state) {
  const LayerView layer = SelectedLayer(state);
  return layer.layer != nullptr ? CutOf(state, *layer.layer).weights : state.tree.how.weights;
}

// "of the text", "random × 0.1".
std::string InputWords(const HeadTreeState& tree) {
  const auto input = static_cast<std::size_t>(tree.how.InputUsed());
  return std::string(kInputChoices.at(input).text) +
         (tree.how.input_scale == 1.0 ? "" : fmt::format(" × {:g}", tree.how.input_scale));
}

std::vector<ToolbarChoice> ChoicesOfCounts(const AppState& state) {
  const HeadTreeState& tree = state.tree;
  const std::int64_t layer = state.selection.head.layer;
  const std::string columns(kColumnChoices.at(static_cast<std::size_t>(tree.how.segments)).text);
  const std::string weights(ChoiceOf(WeightsNow(state)).text);
  const std::string input = InputWords(tree);
  const std::string& counts = tree.texts.counts;
  std::vector<ToolbarChoice> choices = {
      {"Layer",
       fmt::format("{}", layer),
       fmt::format("L{}", layer),
       "Which layer is cut",
       Popup::kLayer},
      {"Columns", columns, columns, "Which of the layer's columns a head has", Popup::kColumns},
      {"Weights", weights, weights, "Under which weights the layer is cut", Popup::kWeights},
      {"Input", input, input, "What the layer reads, and times what", Popup::kInput},
      {"Also try h",
       counts.empty() ? "none" : counts,
       counts.empty() ? "try h" : "h " + counts,
       "Head counts beside 1, 2, 4, ...: any, also those that do not divide the columns",
       Popup::kTryCounts}};
  std::ranges::move(MapSettingsChoices(state), std::back_inserter(choices));
  return choices;
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

// A number in a menu, with its name above.
void DrawFieldInCountsMenu(Ui* ui, const char* about, const CutNumberField& field) {
  Heading(ui, about);
  std::string text = field.text;
  if (DialogField(ui, field.name, &text, {.hint = field.hint})) {
    ui->Do(EditCut{field.field, text});
  }
  if (!ui->state.tree.texts.fault.empty()) {
    SmallParagraph(ui, ui->state.tree.texts.fault, ui->colors().text);
  }
}

}  // namespace

void DrawLayerMenu(Ui* ui) {
  Heading(ui, "Cut layer (↑ ↓)");
  const std::int64_t now = ui->state.selection.head.layer;
  for (const std::int64_t layer : LayersInView(ui->state)) {
    const std::string name = LayerName({PartInView(ui->state), layer});
    if (MenuRow(ui, name.c_str(), name, "", layer == now)) {
      ui->Do(SelectLayer{layer});
      ui->Do(ClosePopup);
    }
  }
}

void DrawColumnsMenu(Ui* ui) {
  SplitRequest how = ui->state.tree.how;
  const auto now = static_cast<int>(how.segments);
  if (const int pressed = MenuChoices(ui, "columns", kColumnChoices, now); pressed >= 0) {
    how.segments = static_cast<SegmentKind>(pressed);
    ui->Do(CutAs{how});
  }
  if (how.segments == SegmentKind::kRandom || how.segments == SegmentKind::kOverlapping) {
    const bool overlaps = how.segments == SegmentKind::kOverlapping;
    DrawFieldInCountsMenu(
        ui,
        overlaps ? "Columns of a head; nothing: 2 D/(h + 1), neighbours share half of them"
                 : "Columns of a head; nothing: D/h, rounded down",
        {.field = CutField::kHeadDim,
         .name = "columns a head",
         .text = ui->state.tree.texts.head_dim,
         .hint = overlaps ? "K ≈ 2D/h" : "K = D/h"});
  }
}

void DrawWeightsMenu(Ui* ui) {
  SplitRequest how = ui->state.tree.how;
  const std::vector<SplitWeights> offered = WeightsOffered(ui->state);
  std::vector<SegmentChoice> weights;
  std::ranges::transform(offered, std::back_inserter(weights), ChoiceOf);
  const auto now = std::ranges::find(offered, WeightsNow(ui->state)) - offered.begin();
  if (const int pressed = MenuChoices(ui, "weights", weights, static_cast<int>(now));
      pressed >= 0) {
    how.weights = offered[static_cast<std::size_t>(pressed)];
    ui->Do(CutAs{how});
    ui->Do(ClosePopup);
  }
}

void DrawInputMenu(Ui* ui) {
  SplitRequest how = ui->state.tree.how;
  if (const int pressed =
          MenuChoices(ui, "input", kInputChoices, static_cast<int>(how.InputUsed()));
      pressed >= 0) {
    how.input = static_cast<SplitInput>(pressed);
    ui->Do(CutAs{how});
  }
  DrawFieldInCountsMenu(ui,
                        "Times what: 0.01 makes every softmax flat, 100 makes it one-hot",
                        {.field = CutField::kScale,
                         .name = "input scale",
                         .text = ui->state.tree.texts.scale,
                         .hint = "1"});
}

void DrawTryCountsMenu(Ui* ui) {
  DrawFieldInCountsMenu(ui,
                        "Head counts beside 1, 2, 4, ...; they need not divide the columns",
                        {.field = CutField::kCounts,
                         .name = "head counts",
                         .text = ui->state.tree.texts.counts,
                         .hint = "3, 6, 12"});
}

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
  // Beside the button, the parts and a seed.
  const float used = flow.used() + ui->Px(IsDrawn(tree.how) ? 110.0F : 0.0F);
  DrawToolbarChoices(ui, &flow, ChoicesOfCounts(ui->state), area.width - used);
  DrawSeed(ui, &flow);
  DrawAllTokens(ui, &flow, "a cut changes outputs, which are made of all tokens");
  DrawOwnWeights(ui, &flow, "a cut changes the weights, and they are what is set side by side");
  if (!tree.texts.fault.empty()) {
    const float width = std::min(TextWidth(*ui, tree.texts.fault, Type::kSmall), area.width * 0.9F);
    Row(ui, flow.Next(width, ui->Px(kHeight)))
        .Text(tree.texts.fault, Type::kSmall, ui->colors().text);
  }
  return flow.height();
}

}  // namespace headscope
