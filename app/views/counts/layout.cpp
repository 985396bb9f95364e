#include "app/views/counts/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/attention/map_tile.h"
#include "core/attention/thumbnail_builder.h"

namespace headscope {
namespace {

constexpr float kLabels = 104.0F;
constexpr float kRight = 20.0F;
constexpr float kMapGap = 5.0F;
constexpr float kRowGap = 20.0F;
constexpr float kMostSide = 190.0F;
constexpr float kLeastFirst = 90.0F;     // of the first map, in a low view
constexpr float kFirstOfHeight = 0.24F;  // that it takes of the view
constexpr float kLeastSide = 14.0F;
constexpr float kLeastRow = 44.0F;  // room for the label

}  // namespace

Rect CountsRow::Cell(std::int64_t head, float left) const {
  const std::int64_t at = place[static_cast<std::size_t>(head)];
  const std::int64_t column = at / lines;
  return {left + std::round(static_cast<float>(column) * pitch + inset),
          y + static_cast<float>(at % lines) * line_pitch,
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
    const std::int64_t at = column * row.lines + line;
    if (line < row.lines && at < row.heads) {
      const std::int64_t head = row.head_at[static_cast<std::size_t>(at)];
      const Rect cell = row.Cell(head, left);
      if (x >= cell.x && x < cell.x + cell.width && y < cell.y + cell.height) {
        return Hit{i, head};
      }
    }
  }
  return std::nullopt;
}

std::string PooledWords(std::int64_t queries, std::int64_t keys, std::int64_t cells) {
  const std::int64_t level = ThumbnailLevel({.queries = queries, .keys = keys}, cells);
  return level > 0 ? fmt::format("Pooled: a cell is the largest of up to {0} × {0} weights.",
                                 std::int64_t{1} << level)
                   : std::string();
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
  if (const std::string pooled = PooledWords(queries, keys, cells); !pooled.empty()) {
    words += " " + pooled;
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

CountsLayout LayOutCounts(
    std::span<const CountsRowWish> wishes, float width, float scale, float top, float height) {
  const auto px = [scale](float unscaled) { return std::round(unscaled * scale); };
  CountsLayout layout;
  layout.left = px(kLabels);
  layout.room = std::max(px(60.0F), width - layout.left - px(kRight));
  const float room = layout.room;
  const float most = height > 0.0F
                         ? std::clamp(height * kFirstOfHeight, px(kLeastFirst), px(kMostSide))
                         : px(kMostSide);
  float y = top + px(14.0F);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const CountsRowWish& wish = wishes[i];
    CountsRow row;
    row.count = i;
    row.heads = wish.heads;
    row.place = wish.place;
    if (std::ssize(row.place) != row.heads) {
      row.place.resize(static_cast<std::size_t>(row.heads));
      std::iota(row.place.begin(), row.place.end(), 0);
    }
    row.head_at.resize(row.place.size());
    for (std::size_t head = 0; head < row.place.size(); ++head) {
      row.head_at[static_cast<std::size_t>(row.place[head])] = static_cast<std::int64_t>(head);
    }
    const auto heads = static_cast<float>(row.heads);
    const float gap = px(row.heads > 32 ? 2.0F : (row.heads > 16 ? 3.0F : kMapGap));
    // Large maps shrink slowly with h, so that the eye can compare the first rows.
    const float wanted = most / std::pow(std::max(1.0F, heads), 0.22F);
    const auto columns = [&row] { return (row.heads + row.lines - 1) / row.lines; };
    const auto fits = [&] { return std::floor(room / static_cast<float>(columns()) - gap); };
    while (fits() < px(kLeastSide) && row.lines < row.heads) {
      row.lines *= 2;
    }
    row.side = std::floor(std::min({wanted, std::max(fits(), px(kLeastSide)), room}));
    row.pitch = room / static_cast<float>(columns());
    row.inset = (row.pitch - row.side) / 2.0F;
    const float bar = px(kLineageBarAbove);
    row.line_pitch = row.side + gap + bar;
    row.height = static_cast<float>(row.lines) * row.line_pitch - gap - bar;
    row.note_y = y;
    row.y = y + wish.note + bar;
    y = row.y + std::max(row.height, px(kLeastRow)) + px(kRowGap) - bar;
    layout.rows.push_back(std::move(row));
  }
  layout.content_height = y;
  return layout;
}

}  // namespace headscope
