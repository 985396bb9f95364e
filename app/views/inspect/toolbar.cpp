// Curve, range and colour map: always in sight above the maps.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/grid_order.h"
#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 3> kCurves = {{
    {"linear", "Colour follows the weight"},
    {"square root", "Colour follows the square root of the weight: small weights show"},
    {"logarithm", "Colour follows the logarithm, from 0.000001 of the range up"},
}};
constexpr std::array<SegmentChoice, 5> kRanges = {{
    {"0 to 1", "Every map from 0 to 1, so that all can be compared"},
    {"per row", "Each row to its own largest weight"},
    {"per head", "Each head to the largest weight of its rows that see two keys or more"},
    {"per layer",
     "All heads of a layer to the largest weight of its rows that see two keys or more"},
    {"all heads", "All heads to the largest weight of all rows that see two keys or more"},
}};
constexpr float kLeastHighest = 1e-6F;
constexpr float kMostHighest = 1e6F;
constexpr std::array<SegmentChoice, 2> kPooling = {{
    {"mean", "Each cell of a long text's thumbnail is the mean of its weights"},
    {"largest", "Each cell of a long text's thumbnail is the largest of its weights"},
}};

template <std::size_t kCount, typename Value>
std::string NameOfChoice(const std::array<SegmentChoice, kCount>& choices, Value now) {
  return std::string(choices.at(static_cast<std::size_t>(now)).text);
}

// A menu of all values that SetValue puts into the state.
template <typename SetValue, std::size_t kCount, typename Value>
void ChooseInMapMenu(Ui* ui,
                     const char* id,
                     const std::array<SegmentChoice, kCount>& choices,
                     Value now) {
  if (const int pressed = MenuChoices(ui, id, choices, static_cast<int>(now)); pressed >= 0) {
    ui->Do(SetValue{static_cast<Value>(pressed)});
    ui->Do(ClosePopup);
  }
}
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

void DrawRangeMenu(Ui* ui) {
  Heading(ui, "From which weight to which the colours run (R shows the next)");
  const MapSettings& settings = ui->state.settings;
  const bool is_typed = settings.range == RangeMode::kFixed && settings.high != 1.0F;
  const int chosen = is_typed ? -1 : static_cast<int>(settings.range);
  if (const int pressed = MenuChoices(ui, "range", kRanges, chosen); pressed >= 0) {
    ui->Do(SetRange{static_cast<RangeMode>(pressed)});
    ui->Do(ClosePopup);
  }
  Heading(ui, "or from 0 to a weight that you type; larger ones have its colour");
  std::string& typed = ui->memory->highest_typed;
  if (ui->memory->popup_appearing) {
    typed = fmt::format("{:.4g}", ui->state.settings.high);
  }
  const bool was_typed = DialogField(ui, "highest weight", &typed, {.hint = "0.2"});
  float high = 0.0F;
  const char* const end = typed.data() + typed.size();
  const auto [stop, error] = std::from_chars(typed.data(), end, high);
  const bool is_right =
      error == std::errc{} && stop == end && high >= kLeastHighest && high <= kMostHighest;
  if (was_typed && is_right) {
    ui->Do(SetRange{RangeMode::kFixed, high});
  } else if (!is_right && !typed.empty()) {
    SmallParagraph(ui, "Type a number above 0, such as 0.2.", ui->colors().text);
  }
}

void DrawPoolingMenu(Ui* ui) {
  ChooseInMapMenu<SetPooling>(ui, "pooling", kPooling, ui->state.settings.pooling);
}

void DrawColourMenu(Ui* ui) {
  constexpr std::array<Colormap, 4> kMaps = {
      Colormap::kViridis, Colormap::kCividis, Colormap::kBlues, Colormap::kGreys};
  const MapSettings& settings = ui->state.settings;
  Heading(ui, "How a weight becomes a colour (C shows the next)");
  ChooseInMapMenu<SetCurve>(ui, "curve", kCurves, settings.curve);
  Heading(ui, "Colours (V shows the next)");
  for (const Colormap colormap : kMaps) {
    const std::string name(Name(colormap));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (MenuRow(ui, name.c_str(), name, "", colormap == settings.colormap)) {
      ui->Do(SetColormap{colormap});
      ui->Do(ClosePopup);
    }
    const float width = ImGui::GetContentRegionAvail().x - ui->Px(8.0F);
    Row row(ui, {at.x, at.y + ui->Px(10.0F), width, ui->Px(10.0F)});
    FillGradient(row.Right(ui->Px(160.0F)), ColormapTable(colormap, ui->state.theme), 32);
  }
}

std::vector<ToolbarChoice> MapSettingsChoices(const AppState& state) {
  const MapSettings& settings = state.settings;
  const std::string range = settings.range == RangeMode::kFixed && settings.high != 1.0F
                                ? fmt::format("0 to {:.4g}", settings.high)
                                : NameOfChoice(kRanges, settings.range);
  return {{"Range",
           range,
           range,
           "From which weight to which the colours run (R shows the next)",
           Popup::kRange},
          {"Colour",
           NameOfChoice(kCurves, settings.curve),
           NameOfChoice(kCurves, settings.curve),
           "How a weight becomes a colour, and which colours (C and V show the next)",
           Popup::kColour}};
}

void DrawMapSettings(Ui* ui, Flow* flow, float room, std::span<const ToolbarChoice> more) {
  std::vector<ToolbarChoice> choices = MapSettingsChoices(ui->state);
  choices.insert(choices.end(), more.begin(), more.end());
  DrawToolbarChoices(ui, flow, choices, room);
  if (ui->layout.narrow && ui->layout.detail.width <= 0.0F) {
    DrawSmallBar(ui, flow->Next(ui->Px(120.0F), ui->Px(28.0F)));
  }
}

float DrawMapToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  DrawPartSwitch(ui, &flow);
  DrawMapSettings(ui, &flow, ui->layout.middle_visible.width);
  const ToolbarChoice tokens = TokensChoice(ui->state);
  DrawToolbarChoices(ui, &flow, {&tokens, 1}, area.width);
  const LayerView view = SelectedLayer(ui->state);
  if (view.layer != nullptr && view.layer->thumbnail(0).pooled) {
    const ToolbarChoice pooling{"Long texts",
                                NameOfChoice(kPooling, ui->state.settings.pooling),
                                NameOfChoice(kPooling, ui->state.settings.pooling),
                                "How weights are pooled for the thumbnails",
                                Popup::kPooling};
    DrawToolbarChoices(ui, &flow, {&pooling, 1}, ui->layout.middle_visible.width);
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
  const ButtonLook jump{
      .text = "Go to head",
      .key = ui->layout.narrow ? "" : "Ctrl K",
      .tooltip = HasParts(ui->state) ? "Type E5H1, D5H1, X5H1, 5.1 or cross layer 5 head 1 (Ctrl K)"
                                     : "Type L5H1, 5.1, 5-1 or layer 5 head 1 (Ctrl K)",
      .bare = true};
  PopupButton(
      ui, "jump", flow.NextRight(ButtonWidth(*ui, jump), ui->Px(28.0F)), jump, Popup::kJump);
  return flow.height();
}

}  // namespace headscope
