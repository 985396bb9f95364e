// One map of a figure, with its title, colours, flag and marks.
//
// Shapes   each map [queries, keys], kMasked where masked.
// Units    cells are whole pixels, never blurred.
// Cost     a view's weights are made only when it is drawn: then every row, a few at a time.
//          Thumbnails are copied.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/map_view.h"
#include "core/figure/color_scale.h"
#include "core/figure/figure_context.h"
#include "core/figure/map_scale.h"

namespace headscope {

// A mark on a cell: a frame around it, or a text in it if there is room.
struct CellMark {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::string text = {};
};

struct FigureMap {
  std::string title;  // "L5H1"; may be empty
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::vector<float> weights;  // [queries, keys]; kMasked where masked
  MapView view;                // instead of weights: read while it is drawn, never as a whole
  bool pooled = false;         // already smaller than the map it shows, whose cells number:
  std::int64_t whole_queries = 0;
  std::int64_t whole_keys = 0;
  ColorScale scale;            // with the range in force for this map
  std::uint32_t flag_rgb = 0;  // 0: no flag
  std::string flag_role;
  std::vector<CellMark> marks = {};  // omitted if cells are pooled
  bool has_sink = false;             // so that rows add up to less than 1
};

// Makes the whole map; a measured range is measured over `all`.
[[nodiscard]] FigureMap MapOf(const MapView& view, LayerSpan all, const FigureContext& context);
// The same with the head's name and flag.
[[nodiscard]] FigureMap NamedMapOf(const MapView& view,
                                   LayerSpan all,
                                   const FigureContext& context);
// Makes its thumbnail, with the head's name and flag.
[[nodiscard]] FigureMap ThumbnailOf(const MapView& view,
                                    LayerSpan all,
                                    const FigureContext& context);

// A map must have cells, and either a weight for each of them or a view.
void CheckMap(const FigureMap& map);

}  // namespace headscope
