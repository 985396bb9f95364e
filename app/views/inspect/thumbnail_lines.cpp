// Thumbnails of the grid as lines.
#include <algorithm>
#include <utility>
#include <vector>

#include "app/views/inspect/head_views.h"

namespace headscope {
namespace {

// More would be a blot.
constexpr KeepRule kOfThumbnail{.mass = 0.9, .per_row = 0, .most = 96};
constexpr int kMadeAFrame = 24;
constexpr std::size_t kMostKept = 4096;

// As core/attention/kept_weights.h, of the cells of a thumbnail.
KeptWeights KeepCells(const Thumbnail& thumbnail, Pooling pooling) {
  const bool is_largest = thumbnail.pooled && pooling == Pooling::kMax;
  std::vector<float> cells = is_largest ? thumbnail.max : thumbnail.mean;
  std::ranges::replace_if(
      cells, [](float cell) { return !(cell > 0.0F); }, 0.0F);
  KeptWeights kept;
  const auto cols = static_cast<std::size_t>(thumbnail.cols);
  for (std::int64_t row = 0; row < thumbnail.rows; ++row) {
    const auto values = std::span(cells).subspan(static_cast<std::size_t>(row) * cols, cols);
    AddRow({.query = static_cast<std::int32_t>(row)},
           values,
           LargestOfRow(values, kOfThumbnail),
           &kept);
  }
  KeepAtMost(kOfThumbnail.most, &kept);
  return kept;
}

}  // namespace

void BeginThumbnailLines(Ui* ui) {
  ViewMemory& memory = *ui->memory;
  memory.thumbnails_made = 0;
  // Those of pictures that are gone keep their layers no longer than a few frames of a new one.
  if (memory.thumbnail_lines.size() > kMostKept) {
    memory.thumbnail_lines.clear();
  }
  std::erase_if(memory.thumbnail_lines,
                [](const ThumbnailLines& lines) { return lines.of.layer.use_count() == 1; });
}

void AddThumbnailLines(Ui* ui,
                       const MapView& map,
                       const Rect& cell,
                       const LineInk& ink,
                       std::vector<Stroke>* strokes) {
  ViewMemory& memory = *ui->memory;
  const Pooling pooling = ui->state.settings.pooling;
  auto& all = memory.thumbnail_lines;
  auto found = std::ranges::find_if(all, [&](const ThumbnailLines& lines) {
    return lines.of == map && lines.pooling == pooling;
  });
  if (found == all.end()) {
    if (memory.thumbnails_made == kMadeAFrame) {
      ui->WakeIn(0.0);
      return;
    }
    ++memory.thumbnails_made;
    all.push_back({.of = map, .pooling = pooling, .kept = KeepCells(map.thumbnail(), pooling)});
    found = std::prev(all.end());
  }
  const float pad = ui->Px(2.0F);
  const LinesPlace place{.field = Inset(cell, pad, pad),
                         .shown_queries = static_cast<double>(map.thumbnail().rows),
                         .shown_keys = static_cast<double>(map.thumbnail().cols),
                         .unit = 0.8F * ui->scale};
  std::ranges::move(LinesBetween(found->kept.weights, {&ink, 1}, place),
                    std::back_inserter(*strokes));
}

}  // namespace headscope
