#include "app/views/counts_layout.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/attention/map_tile.h"
#include "core/attention/thumbnail_builder.h"

namespace headscope {
namespace {

constexpr float kLabels = 104.0F;
constexpr float kRight = 20.0F;
constexpr float kMapGap = 5.0F;
constexpr float kRowGap = 16.0F;
constexpr float kMostSide = 190.0F;
constexpr float kLeastSide = 8.0F;
constexpr float kLeastRow = 42.0F;  // room for the label

}  // namespace

Rect CountsRow::Cell(std::int64_t head, float left) const {
  const std::int64_t line = head / per_line;
  return {left + std::round(static_cast<float>(head % per_line) * pitch + inset),
          y + static_cast<float>(line) * line_pitch,
          side,
          side};
}

std::optional<CountsLayout::Hit> CountsLayout::At(float x, float y) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CountsRow& row = rows[i];
    if (y < row.y || y >= row.y + row.height || x < left) {
      continue;
    }
    const auto column = static_cast<std::int64_t>((x - left) / row.pitch);
    const auto line = static_cast<std::int64_t>((y - row.y) / row.line_pitch);
    const std::int64_t head = line * row.per_line + column;
    if (column < row.per_line && head < row.heads) {
      const Rect cell = row.Cell(head, left);
      if (x >= cell.x && x < cell.x + cell.width && y < cell.y + cell.height) {
        return Hit{i, head};
      }
    }
  }
  return std::nullopt;
}

std::string CountsWords(const CountsLayout& layout,
                        std::int64_t queries,
                        std::int64_t keys,
                        std::int64_t cells) {
  std::string words =
      "The same layer with its columns cut into other numbers of heads; the trained number is "
      "marked.";
  const AttentionShape shape{.queries = queries, .keys = keys};
  const std::int64_t level = ThumbnailLevel(shape, cells);
  if (level > 0) {
    words += fmt::format(" Pooled: a cell is the largest of up to {0} × {0} weights.",
                         std::int64_t{1} << level);
  }
  const auto drawn = static_cast<float>(CellsAt(std::max(queries, keys), level));
  const bool is_small = std::any_of(layout.rows.begin(),
                                    layout.rows.end(),
                                    [drawn](const CountsRow& row) { return row.side < drawn; });
  if (is_small) {
    words += " Where cells are smaller than a pixel, it shows the largest weight under it.";
  }
  return words;
}

CountsLayout LayOutCounts(std::span<const std::int64_t> head_counts,
                          float width,
                          float scale,
                          float top) {
  const auto px = [scale](float unscaled) { return std::round(unscaled * scale); };
  CountsLayout layout;
  layout.left = px(kLabels);
  const float room = std::max(px(60.0F), width - layout.left - px(kRight));
  float y = top + px(14.0F);
  for (std::size_t i = 0; i < head_counts.size(); ++i) {
    CountsRow row;
    row.count = i;
    row.heads = head_counts[i];
    const auto heads = static_cast<float>(row.heads);
    const float gap = px(row.heads > 32 ? 2.0F : (row.heads > 16 ? 3.0F : kMapGap));
    // Large maps shrink slowly with h, so that the eye can compare the first rows.
    const float wanted = px(kMostSide) / std::pow(std::max(1.0F, heads), 0.22F);
    const float fits = std::floor(room / heads - gap);
    row.side = std::floor(std::min({wanted, std::max(fits, px(kLeastSide)), room}));
    row.per_line = row.heads;
    row.pitch = room / heads;
    if (fits < px(kLeastSide)) {
      row.pitch = row.side + gap;
      row.per_line =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(room / row.pitch), 1, row.heads);
    }
    row.inset = (row.pitch - row.side) / 2.0F;
    row.line_pitch = row.side + gap;
    const std::int64_t lines = (row.heads + row.per_line - 1) / row.per_line;
    row.height = static_cast<float>(lines) * row.line_pitch - gap;
    row.y = y;
    y += std::max(row.height, px(kLeastRow)) + px(kRowGap);
    layout.rows.push_back(row);
  }
  layout.content_height = y;
  return layout;
}

}  // namespace headscope
