// One layer cut into 1, 2, 4, ... heads: a row of maps for each count.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/counts_layout.h"
#include "app/views/counts_words.h"
#include "app/views/flow.h"
#include "app/views/map_geometry.h"
#include "app/views/map_textures.h"
#include "app/views/panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

void DrawRowLabel(const Ui& ui, const Rect& place, const SplitCount& count, bool trained) {
  const ThemeColors& colors = ui.colors();
  const std::string name = fmt::format("h = {}", count.heads);
  const float right = place.x + place.width;
  float y = place.y;
  DrawText(ui, right - TextWidth(ui, name, Type::kBold), y, name, Type::kBold, colors.text);
  y += ui.Px(20.0F);
  const std::string width = "dₖ " + WidthText(count);
  DrawText(
      ui, right - TextWidth(ui, width, Type::kMonoSmall), y, width, Type::kMonoSmall, colors.dim);
  if (trained) {
    y += ui.Px(17.0F);
    const float text = TextWidth(ui, "trained", Type::kSmall);
    const Rect pill{right - text - ui.Px(16.0F), y, text + ui.Px(16.0F), ui.Px(19.0F)};
    FrameRect(ui, pill, colors.accent, 10.0F);
    Rect word = pill;
    word.x += ui.Px(8.0F);
    DrawTextIn(ui, word, "trained", Type::kSmall, colors.accent);
  }
}

}  // namespace

float DrawCountsToolbar(Ui* ui, const Rect& area) {
  Flow flow(*ui, area);
  DrawPartSwitch(ui, &flow);
  const std::int64_t layers = ShownLayers(ui->state);
  const float height = ui->Px(28.0F);
  if (layers > 0) {
    const float word = TextWidth(*ui, "Layer", Type::kBody);
    const Rect label = flow.Next(word, height);
    DrawTextIn(*ui, label, "Layer", Type::kBody, ui->colors().muted);
    std::vector<std::string> names;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      names.push_back(fmt::format("{}", layer));
    }
    // In groups, so that a deep model's layers wrap.
    constexpr std::size_t kGroup = 16;
    for (std::size_t first = 0; first < names.size(); first += kGroup) {
      std::vector<SegmentChoice> choices;
      for (std::size_t i = first; i < std::min(names.size(), first + kGroup); ++i) {
        choices.push_back({names[i], "Cut this layer"});
      }
      const std::string id = fmt::format("layers {}", first);
      const int pressed =
          Segments(ui,
                   id.c_str(),
                   flow.Next(SegmentsWidth(*ui, choices), height),
                   choices,
                   static_cast<int>(ui->state.selection.head.layer) - static_cast<int>(first));
      if (pressed >= 0) {
        ui->Do(SelectLayer{static_cast<std::int64_t>(first) + pressed});
      }
    }
  }
  DrawMapSettings(ui, &flow);
  return flow.height();
}

void DrawCounts(Ui* ui, const Rect& area) {
  const Counts& counts = ui->state.counts;
  const ThemeColors& colors = ui->colors();
  const ModelInfo* model = ShownModel(ui->state);
  if (model != nullptr && model->file != nullptr) {
    DrawParagraph(*ui,
                  area.x + ui->Px(28.0F),
                  area.y + ui->Px(28.0F),
                  std::min(ui->Px(560.0F), area.width - ui->Px(56.0F)),
                  "This attention comes from a file that holds its weights only. Cutting a layer "
                  "into other head counts needs its queries, keys and values: open the model.",
                  Type::kBody,
                  colors.muted);
    return;
  }
  const LayerView now = SelectedLayer(ui->state);
  if (IsOutdated(ui->state) && now.from != nullptr && now.from->model != ui->state.model &&
      now.layer != counts.source) {
    DrawParagraph(*ui,
                  area.x + ui->Px(28.0F),
                  area.y + ui->Px(28.0F),
                  std::min(ui->Px(560.0F), area.width - ui->Px(56.0F)),
                  fmt::format("Only layers of the model that is open can be cut into other head "
                              "counts. These maps are of {}; {} is open.",
                              now.from->model->name,
                              ui->state.model->name),
                  Type::kBody,
                  colors.muted);
    return;
  }
  if (counts.result == nullptr || counts.source == nullptr) {
    DrawText(*ui,
             area.x + ui->Px(28.0F),
             area.y + ui->Px(28.0F),
             counts.wanted != nullptr && NoticeAt(ui->state, ErrorPlace::kCounts) == nullptr
                 ? "Cutting this layer into other head counts …"
                 : "",
             Type::kBody,
             colors.muted);
    return;
  }
  const SplitResult& result = *counts.result;
  std::vector<std::int64_t> heads;
  for (const SplitCount& count : result.counts) {
    heads.push_back(count.heads);
  }
  Rect view = area;
  view.width = std::min(area.width, ui->layout.middle_visible.width);
  const AttentionShape& shape = counts.source->shape();
  // How large maps are does not depend on the words above them.
  const std::string words = CountsWords(
      LayOutCounts(heads, view.width, ui->scale), shape.queries, shape.keys, kThumbnailSize);
  const float pad = ui->Px(16.0F);
  const float words_width = std::max(ui->Px(60.0F), view.width - 2.0F * pad);
  const float words_height = ParagraphHeight(*ui, words, words_width, Type::kSmall) + ui->Px(10.0F);
  const CountsLayout layout = LayOutCounts(heads, view.width, ui->scale, words_height);
  BeginScroll("counts", view);
  ImGui::Dummy({1.0F, layout.content_height});
  const float scroll = ImGui::GetScrollY();
  DrawParagraph(*ui,
                view.x + pad,
                view.y + ui->Px(10.0F) - scroll,
                words_width,
                words,
                Type::kSmall,
                colors.muted);
  const std::optional<ChosenCount> chosen = ChosenOf(ui->state);
  const bool stale = now.layer != counts.source || now.outdated;
  SceneRegion& region = ui->region(Panel::kMiddle);
  region.maps_clip = view;  // a note above and the sheet's tab below have their own place
  const float left = view.x + layout.left;
  for (const CountsRow& row : layout.rows) {
    const float y = view.y - scroll;
    const bool trained = row.heads == result.trained_heads;
    DrawRowLabel(*ui,
                 {view.x, y + row.y, layout.left - ui->Px(14.0F), row.height},
                 result.counts[row.count],
                 trained);
    for (std::int64_t head = 0; head < row.heads; ++head) {
      Rect cell = row.Cell(head, left);
      cell.y += y;
      if (cell.y + cell.height < view.y || cell.y > view.y + view.height) {
        continue;
      }
      const MapView map{.layer = result.counts[row.count].attention, .head = head};
      const MapHandle handle = ui->maps->Thumbnail(map, Pooling::kMax);
      if (handle == 0) {
        region.fills.push_back({Intersection(cell, view), colors.panel});
      } else {
        region.maps.push_back({.map = handle,
                               .target = ShapeOfMap(cell, shape.queries, shape.keys),
                               .source = {},
                               .scale = ScaleOfCount(ui->state, map),
                               .dimmed = stale});
      }
      if (chosen && chosen->count == row.count && chosen->head == head) {
        const float out = ui->Px(2.0F);
        FrameRect(*ui,
                  {cell.x - out, cell.y - out, cell.width + 2.0F * out, cell.height + 2.0F * out},
                  colors.text,
                  4.0F,
                  2.0F);
      }
    }
  }
  const Pressed pressed =
      Area(ui, "count maps", {view.x, view.y - scroll, view.width, layout.content_height}, "");
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto hit =
      pressed.hovered ? layout.At(mouse.x - view.x, mouse.y - view.y + scroll) : std::nullopt;
  if (hit) {
    const CountsRow& row = layout.rows[hit->row];
    TooltipForItem(
        ui,
        static_cast<std::uint32_t>(2000000 + hit->row * 4096 + static_cast<std::size_t>(hit->head)),
        true,
        HeadOfWords(result, row.count, hit->head) + "\nclick shows it in full");
    if (pressed.clicked) {
      ui->Do(SelectCount{row.heads, hit->head});
    }
  }
  EndScroll();
}

}  // namespace headscope
