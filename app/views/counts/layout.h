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

// A row of maps to be laid out.
struct CountsRowWish {
  std::int64_t heads = 1;
  std::vector<std::int64_t> place = {};  // [heads], from the left; empty: in their order
  float note = 0.0F;                     // the height of words above it
};

struct CountsRow {
  std::size_t count = 0;  // index among the counts
  std::int64_t heads = 0;
  std::vector<std::int64_t> place = {};    // [heads]
  std::vector<std::int64_t> head_at = {};  // the other way round
  float note_y = 0.0F;                     // where its words begin
  float y = 0.0F;
  float height = 0.0F;  // of all its lines
  float side = 0.0F;    // of a map
  float pitch = 0.0F;   // from one map to the next
  float inset = 0.0F;   // of a map in its pitch
  float line_pitch = 0.0F;
  std::int64_t lines = 1;  // neighbours stand one under the other, where there are many

  [[nodiscard]] Rect Cell(std::int64_t head, float left) const;
};

struct CountsLayout {
  float left = 0.0F;  // where maps begin
  float room = 0.0F;  // for them
  float content_height = 0.0F;
  std::vector<CountsRow> rows;

  struct Hit {
    std::size_t row = 0;
    std::int64_t head = 0;
  };
  [[nodiscard]] std::optional<Hit> At(float x, float y) const;
};

// The bar above each map: this far above it, and so high.
inline constexpr float kLineageBarAbove = 6.0F;
inline constexpr float kLineageBar = 2.0F;

// Few heads: large maps; many: small ones. A head stands in the middle of the columns it owns, so
// that children stand under their parent; where a row is too short for its maps, neighbours stand
// one under the other. Rows begin `top` below the content's top, where words stand. In a low view
// (`height`; 0: as much as is wanted) the first maps are smaller, so that more rows are in sight.
[[nodiscard]] CountsLayout LayOutCounts(std::span<const CountsRowWish> wishes,
                                        float width,
                                        float scale,
                                        float top = 0.0F,
                                        float height = 0.0F);

// "Pooled: a cell is the largest of up to 64 × 64 weights."; empty where a cell is one weight.
[[nodiscard]] std::string PooledWords(std::int64_t queries, std::int64_t keys, std::int64_t cells);
// What the rows are; and, of maps of [queries, keys] weights whose thumbnails have at most `cells`
// a side, what a cell and a pixel stand for where that is several weights.
[[nodiscard]] std::string CountsWords(const CountsLayout& layout,
                                      std::int64_t queries,
                                      std::int64_t keys,
                                      std::int64_t cells);

}  // namespace headscope
