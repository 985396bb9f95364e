// Patching in the right part of Compare: the selected head's numbers, and layers x tokens.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/patching.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "core/base/hundredths.h"

namespace headscope {
namespace {

constexpr float kPatchRow = 22.0F;  // unscaled
constexpr float kMostPatchCell = 34.0F;
constexpr float kPatchLayerName = 36.0F;
constexpr float kLongestPatchToken = 108.0F;

constexpr std::array<SegmentChoice, 3> kPatchedLayerThings = {{
    {"Stream", "The residual stream before a layer, at one token: all that is known there by then"},
    {"MLP", "What a layer's MLP adds at one token"},
    {"Attention", "What all heads of a layer add at one token"},
}};

struct PositionsPlace {
  float x = 0.0F;  // of the first cell
  float y = 0.0F;
  float wide = 1.0F;
  float tall = 1.0F;
};

// The tokens over their columns; a click asks for the word after another one.
void DrawPatchTokensAxis(Ui* ui,
                         const PatchedTexts& patched,
                         const PositionsPlace& place,
                         float top) {
  const ThemeColors& colors = ui->colors();
  const auto tokens = std::ssize(patched.positions);
  const auto every = std::max<std::int64_t>(1, std::lround(std::ceil(ui->Px(13.0F) / place.wide)));
  const bool is_of_rows = !ui->state.model->has_decoder();
  const bool is_of_file = !ui->state.compare.patch_look.file.path.empty();
  const auto alone = is_of_file ? std::nullopt : PatchedRow(ui->state);
  for (std::int64_t token = 0; token < tokens; ++token) {
    const bool is_row = is_of_rows && token == patched.row;
    if (token % every != 0 && !is_row && token != alone) {
      continue;
    }
    if (token == alone) {
      FillRect(*ui,
               {place.x + static_cast<float>(token) * place.wide,
                place.y - ui->Px(4.0F),
                place.wide - ui->Px(1.0F),
                ui->Px(2.0F)},
               colors.accent,
               0.0F);
    }
    const std::string& name = patched.positions[static_cast<std::size_t>(token)];
    const bool differs = name.find(" / ") != std::string::npos;
    DrawSlanted(place.x + (static_cast<float>(token) + 0.5F) * place.wide,
                place.y - ui->Px(6.0F),
                LabelOf(*ui, name, Type::kMono, ui->Px(kLongestPatchToken)),
                is_row    ? colors.accent
                : differs ? colors.text
                          : colors.muted);
  }
  if (!is_of_rows) {
    return;
  }
  const Rect names{place.x, place.y - top, place.wide * static_cast<float>(tokens), top};
  const Pressed pressed = Area(
      ui,
      "patch row",
      names,
      fmt::format(
          "The word is asked for {0} “{1}”. Click another token to ask {0} that instead; in a "
          "causal model no token after it has a share. Shift click: take over this row of heads "
          "alone, in the map on the left; again: all rows",
          patched.is_masked ? "at" : "after",
          patched.row_name));
  if (pressed.clicked) {
    PatchLook look = ui->state.compare.patch_look;
    const auto token = std::clamp<std::int64_t>(
        static_cast<std::int64_t>((ImGui::GetIO().MousePos.x - place.x) / place.wide),
        0,
        tokens - 1);
    if (ImGui::GetIO().KeyShift) {
      look.at = look.at == token ? std::nullopt : std::optional(token);
    } else {
      look.row = token;
    }
    ui->Do(SetPatchLook{look});
  }
}

void DrawPatchCells(Ui* ui, const PatchInView& view, const PositionsPlace& place) {
  const PatchedTexts& patched = *view.patched;
  const auto tokens = std::ssize(patched.positions);
  const double largest = LargestPatch(patched);
  const float gap = std::min({ui->Px(2.0F), place.wide / 6.0F, place.tall / 6.0F});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto column = static_cast<std::int64_t>(std::floor((mouse.x - place.x) / place.wide));
  const auto row = static_cast<std::int64_t>(std::floor((mouse.y - place.y) / place.tall));
  const auto pointed = static_cast<std::size_t>(std::max<std::int64_t>(0, row * tokens + column));
  const bool is_in = column >= 0 && column < tokens && row >= 0 && row < patched.layers &&
                     pointed < patched.metrics.size();
  const Rect whole{place.x,
                   place.y,
                   place.wide * static_cast<float>(tokens),
                   place.tall * static_cast<float>(patched.layers)};
  const Pressed pressed =
      Area(ui, "patched layers", whole, is_in ? PatchShareWords(patched, pointed) : std::string());
  for (std::int64_t layer = 0; layer < patched.layers; ++layer) {
    const float y = place.y + static_cast<float>(layer) * place.tall;
    Row(ui, {place.x - ui->Px(kPatchLayerName), y, ui->Px(kPatchLayerName - 8.0F), place.tall})
        .TextRight(LayerName({patched.first.part, patched.first.layer + layer}),
                   Type::kMonoSmall,
                   ui->colors().dim);
    for (std::int64_t token = 0; token < tokens; ++token) {
      const auto at = static_cast<std::size_t>(layer * tokens + token);
      const Rect cell{
          place.x + static_cast<float>(token) * place.wide, y, place.wide - gap, place.tall - gap};
      FillRect(*ui,
               cell,
               at < patched.metrics.size()
                   ? ColorOfPatch(*ui, patched.ScoreOf(patched.metrics[at]), largest, view.is_old)
                   : ui->colors().raised,
               2.0F);
      if (pressed.hovered && is_in && at == pointed) {
        FrameRect(*ui, cell, ui->colors().text, 2.0F, 1.5F);
      }
    }
  }
}

void DrawPatchBar(Pen* pen, double largest) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Row row = pen->Line(20.0F);
  row.Skip(kPatchLayerName);
  row.Text(SignedShareAmong(-largest, largest), Type::kMonoSmall, colors.muted);
  row.Skip(8.0F);
  const Rect bar = row.Left(ui->Px(140.0F));
  FillGradient({bar.x, bar.y + ui->Px(6.0F), bar.width, ui->Px(9.0F)},
               ColormapTable(Colormap::kDiverging, ui->state.theme),
               64);
  row.Skip(8.0F);
  row.Text(SignedShareAmong(largest, largest), Type::kMonoSmall, colors.muted);
  row.Skip(14.0F);
  row.Text("0 in the middle", Type::kSmall, colors.dim);
}

}  // namespace

void DrawPatchFacts(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const PatchInView view = PatchedHeads(state);
  const auto place =
      view.patched != nullptr ? PlaceOfHead(*view.patched, state.selection.head) : std::nullopt;
  if (place) {
    pen->Paragraph(PatchShareWords(*view.patched, *place) + ".",
                   Type::kBody,
                   view.is_old ? ui->colors().dim : ui->colors().text);
    pen->Skip(4.0F);
  } else if (view.patched != nullptr && (FollowsPaths(state) || view.patched->is_whole())) {
    const std::string_view why = FollowsPaths(state)
                                     ? "no direct path leads from it to where they arrive"
                                     : "it has no such row";
    pen->Paragraph(fmt::format("{} has no share: {}.", HeadName(state.selection.head), why),
                   Type::kBody,
                   ui->colors().muted);
    pen->Skip(4.0F);
  }
  pen->Small(PatchCaution(view.patched != nullptr && !view.patched->file.empty()),
             ui->colors().muted);
}

void DrawPatchPositions(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  PatchLook look = state.compare.patch_look;
  Row title = pen->Line(30.0F);
  const float width = SegmentsWidth(*ui, kPatchedLayerThings);
  if (title.rest().width > width + ui->Px(60.0F)) {
    title.Text("Layers and tokens", Type::kBold, colors.text);
  }
  const int first = static_cast<int>(PatchWhat::kStream);
  const Rect segments = Inset(title.Right(width), 0.0F, ui->Px(1.0F));
  const int pressed = Segments(ui,
                               "patched layer thing",
                               segments,
                               kPatchedLayerThings,
                               static_cast<int>(look.of_layers) - first);
  if (pressed >= 0) {
    look.of_layers = static_cast<PatchWhat>(first + pressed);
    ui->Do(SetPatchLook{look});
  }
  pen->Skip(4.0F);
  const ModelInfo* const model = ShownModel(state);
  pen->Small(fmt::format("{}; {}, on a scale of their own.{}",
                         PatchTaken(look.of_layers, look.direction),
                         look.file.path.empty()
                             ? "the same shares"
                             : "shares of the two texts in view alone, not of the pairs",
                         model != nullptr && model->description.token_inputs
                             ? " What layers read of each token beside the stream stays as it is."
                             : ""),
             colors.muted);
  pen->Skip(6.0F);
  const PatchInView view = PatchedLayers(state);
  if (DrawPatchNow(pen, LayersToPatch(state)) || view.patched == nullptr) {
    return;
  }
  const PatchedTexts& patched = *view.patched;
  float longest = ui->Px(24.0F);
  for (const std::string& name : patched.positions) {
    longest = std::max(longest, LabelOf(*ui, name, Type::kMono, ui->Px(kLongestPatchToken)).width);
  }
  const float top = longest * 0.8F + ui->Px(14.0F);
  const float left = ui->Px(kPatchLayerName);
  const float room = std::max(ui->Px(40.0F), pen->width - left - longest * 0.6F);
  const PositionsPlace place{
      .x = pen->x + left,
      .y = pen->y + top,
      .wide = std::min(ui->Px(kMostPatchCell), room / static_cast<float>(patched.positions.size())),
      .tall = ui->Px(kPatchRow)};
  pen->Take(top + place.tall * static_cast<float>(patched.layers) + ui->Px(6.0F));
  DrawPatchTokensAxis(ui, patched, place, top);
  DrawPatchCells(ui, view, place);
  DrawPatchBar(pen, LargestPatch(patched));
}

}  // namespace headscope
