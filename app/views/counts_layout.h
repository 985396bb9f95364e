// Rows of maps, one per head count, as wide as the middle allows.
//
// Units    window pixels, from the top left of the scrolled content.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/render/scene.h"

namespace headscope {

struct CountsRow {
  std::size_t count = 0;  // index among the counts
  std::int64_t heads = 0;
  float y = 0.0F;
  float height = 0.0F;  // of all its lines
  float side = 0.0F;    // of a map
  float pitch = 0.0F;   // from one map to the next
  float inset = 0.0F;   // of a map in its pitch
  float line_pitch = 0.0F;
  std::int64_t per_line = 1;

  [[nodiscard]] Rect Cell(std::int64_t head, float left) const;
};

struct CountsLayout {
  float left = 0.0F;  // where maps begin
  float content_height = 0.0F;
  std::vector<CountsRow> rows;

  struct Hit {
    std::size_t row = 0;
    std::int64_t head = 0;
  };
  [[nodiscard]] std::optional<Hit> At(float x, float y) const;
};

// Few heads: large maps; many: small ones. A head stands in the middle of the columns it owns, so
// that children stand under their parent; on several lines, from the left, where one is too short.
// Rows begin `top` below the content's top, where words stand.
[[nodiscard]] CountsLayout LayOutCounts(std::span<const std::int64_t> head_counts,
                                        float width,
                                        float scale,
                                        float top = 0.0F);

// What the rows are; and, of maps of [queries, keys] weights whose thumbnails have at most `cells`
// a side, what a cell and a pixel stand for where that is several weights.
[[nodiscard]] std::string CountsWords(const CountsLayout& layout,
                                      std::int64_t queries,
                                      std::int64_t keys,
                                      std::int64_t cells);

}  // namespace headscope
