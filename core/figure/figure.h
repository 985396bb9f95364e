// Figures of heads: one, a layer, the whole grid, a layer under several head counts. The window and
// the command line call this.
//
// Shapes   each map [queries, keys], kMasked where masked.
// Units    size_px: the longer side of the whole figure; cells are whole pixels, never blurred.
// Maps with more cells than pixels are pooled (largest weight) and a note says so. Errors   kIo
// (unwritable, disk full), kInput (too few or too many pixels, no map), kUnsupported
// (.svg and .pdf: not yet), kCancelled.
// Threads  any that may compute; each call makes its own surfaces.
// Source   CONTRACT.md "render"; layout shared with the screen: core/figure/layout.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/map_view.h"
#include "core/base/error.h"
#include "core/figure/color_scale.h"
#include "core/figure/pool.h"

namespace headscope {

// What size_px can be.
inline constexpr int kLeastFigureSize = 160;
inline constexpr int kMostFigureSize = 16384;
inline constexpr std::int64_t kMostFigurePixels = 100'000'000;  // of the whole

struct FigureMap {
  std::string title;     // "L5H1", "h = 4, head 1"
  std::string subtitle;  // "columns 96-191, d_k 96"; may be empty
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::vector<float> weights;  // [queries, keys]; kMasked where masked
  MapView view;                // in place of weights: read while it is drawn, never whole
  bool pooled = false;         // already smaller than what it shows, which has this many cells:
  std::int64_t whole_queries = 0;
  std::int64_t whole_keys = 0;
  ColorScale scale;            // with the range in force for this map
  std::uint32_t flag_rgb = 0;  // 0: no flag
  std::string flag_role;
};

struct FigureRow {
  std::string label;     // "L5", "h = 4"
  std::string sublabel;  // "d_k 96"
  std::vector<FigureMap> maps;
  // The row's width is cut into this many places, a map in the middle of each; 0: one for each map.
  std::int64_t slots = 0;
  bool marked = false;  // its label in the accent colour: the trained count
};

struct Figure {
  std::string title;  // of the whole; a single map without one uses its own
  std::string subtitle;
  std::string caption;                    // model, text, convention; set below the maps
  std::vector<std::string> notes;         // what is pooled, clipped, floored
  std::vector<std::string> query_tokens;  // drawn for a single map only
  std::vector<std::string> key_tokens;
  std::vector<FigureRow> rows;             // one row with one map: the full picture with token axes
  std::vector<std::string> column_labels;  // above the columns of a grid; replace map titles
  std::vector<std::vector<std::string>> table;  // under the maps; the first row is its head
  std::int64_t marked_table_row = -1;           // in the accent colour
  Pool pool = Pool::kLargest;  // of maps with more cells than pixels; a note says how
  Theme theme = Theme::kLight;
  int size_px = 1600;
};

struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height, width, 3]
};

[[nodiscard]] Result<Pixels> RenderFigure(const Figure& figure, const std::stop_token& stop = {});
// By the ending of `path`: .png. Written whole or not at all.
[[nodiscard]] Status WriteFigure(const std::filesystem::path& path,
                                 const Figure& figure,
                                 const std::stop_token& stop = {});
// Pixels as a PNG, whole or not at all (also used for screenshots).
[[nodiscard]] Status WritePng(const std::filesystem::path& path, const Pixels& pixels);

}  // namespace headscope
