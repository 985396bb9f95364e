// Curve, range and colour map: always in sight above the maps.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/grid_order.h"
#include "app/state/queries.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/pen.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 3> kCurves = {{
    {"linear", "Colour follows the weight (C changes the curve)"},
    {"√", "Colour follows the square root of the weight: small weights show (C)"},
    {"log", "Colour follows the logarithm, from 0.000001 of the range up (C)"},
}};
constexpr std::array<SegmentChoice, 5> kRanges = {{
    {"fixed", "Every map from 0 to 1 (R changes the range)"},
    {"row", "Each row to its own largest weight (R)"},
    {"head", "Each head to the largest weight of its rows that see two keys or more (R)"},
    {"layer",
     "All heads of a layer to the largest weight of its rows that see two keys or more (R)"},
    {"global", "All heads to the largest weight of all rows that see two keys or more (R)"},
}};
constexpr std::array<SegmentChoice, 2> kPooling = {{
    {"mean", "A long text is pooled for the thumbnails: each cell is the mean of its weights"},
    {"max", "A long text is pooled for the thumbnails: each cell is the largest of its weights"},
}};

constexpr std::array<SegmentChoice, 2> kThumbnails = {{
    {"maps", "Thumbnails are maps: queries as rows, keys as columns"},
    {"lines", "Thumbnails are lines: queries at the left, keys at the right"},
}};

constexpr std::array<SegmentChoice, 3> kParts = {{
    {"Encoder",
     "The encoder's heads, E0H0 and on: the text looks at itself (P shows the next part)"},
    {"Decoder", "The decoder's heads, D0H0 and on: the target looks at itself (P)"},
    {"Cross", "Cross-attention, X0H0 and on: the target (rows) looks at the text (columns) (P)"},
}};

// Where the head and its bar are out of sight, the colours are explained here.
void DrawSmallBar(Ui* ui, const Rect& rect) {
  const ThemeColors& colors = ui->colors();
  const ColorScale scale = ScaleFor(ui->state, ui->state.selection.head);
  const float line = LineHeight(*ui, Type::kMono);
  const std::string high =
      scale.range == RangeMode::kRow ? "row's" : fmt::format("{:.3g}", scale.high);
  Row row(ui, {rect.x, rect.y + (rect.height - line) / 2.0F, rect.width, line}, true);
  row.Text(fmt::format("{:.3g}", scale.low), Type::kMono, colors.muted);
  row.Skip(6.0F);
  row.TextRight(high, Type::kMono, colors.muted);
  row.SkipRight(6.0F);
  FillGradient({row.rest().x, rect.y + rect.height * 0.34F, row.rest().width, rect.height * 0.32F},
               ColormapTable(scale.colormap, ui->state.theme),
               32);
}

}  // namespace

void DrawPartSwitch(Ui* ui, Flow* flow) {
  constexpr std::array kOrder = {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross};
  const ModelPart part = PartInView(ui->state);
  if (part == ModelPart::kWhole || ShownLayers(ui->state) == 0) {
    return;
  }
  const auto chosen = std::ranges::find(kOrder, part) - kOrder.begin();
  const int pressed = flow->Segments("part", kParts, static_cast<int>(chosen));
  if (pressed >= 0) {
    ui->Do(ShowPart{kOrder[static_cast<std::size_t>(pressed)]});
  }
}

void DrawMapSettings(Ui* ui, Flow* flow) {
  const MapSettings& settings = ui->state.settings;
  flow->Choose<SetCurve>("curve", kCurves, settings.curve);
  flow->Choose<SetRange>("range", kRanges, settings.range);
  const std::string name = std::string(Name(settings.colormap)) + " ▾";
  flow->PopupButton("colour map",
                    {.text = name, .tooltip = "Colour map (V shows the next one)", .bare = true},
                    Popup::kColormap);
  if (ui->layout.narrow && ui->layout.detail.width <= 0.0F) {
    DrawSmallBar(ui, flow->Next(ui->Px(150.0F), ui->Px(28.0F)));
  }
}

float DrawMapToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  DrawPartSwitch(ui, &flow);
  DrawMapSettings(ui, &flow);
  const LayerView view = SelectedLayer(ui->state);
  if (view.layer != nullptr && view.layer->thumbnail(0).pooled) {
    flow.Choose<SetPooling>("pooling", kPooling, ui->state.settings.pooling);
  }
  const HeadLook& look = ui->state.head_look;
  if (const int pressed = flow.Segments("thumbnails", kThumbnails, look.lines_in_grid ? 1 : 0);
      pressed >= 0) {
    HeadLook next = look;
    next.lines_in_grid = pressed == 1;
    ui->Do(SetHeadLook{std::move(next)});
  }
  const std::string look_words = GridLookWords(ui->state) + " ▾";
  flow.PopupButton("grid look",
                   {.text = look_words,
                    .tooltip = "The order of the heads, and which of them are shown",
                    .active = !IsPlainGrid(ui->state),
                    .bare = true},
                   Popup::kGridLook);
  const ButtonLook jump{.text = "Go to head",
                        .key = "Ctrl K",
                        .tooltip = HasParts(ui->state)
                                       ? "Type E5H1, D5H1, X5H1, 5.1 or cross layer 5 head 1"
                                       : "Type L5H1, 5.1, 5-1 or layer 5 head 1",
                        .bare = true};
  PopupButton(
      ui, "jump", flow.NextRight(ButtonWidth(*ui, jump), ui->Px(28.0F)), jump, Popup::kJump);
  return flow.height();
}

}  // namespace headscope
