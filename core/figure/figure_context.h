// The context of a figure, shown in addition to its maps: model, text, tokens, colours, flags, and
// its size.
//
// Units    measured ranges: MeasuredScale (core/figure/color_scale.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/kept_weights.h"
#include "core/base/model_part.h"
#include "core/figure/color_scale.h"
#include "core/figure/figure.h"
#include "core/figure/pool.h"
#include "core/heads/flags/session_file.h"
#include "core/heads/measure/head_name.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct FigureContext {
  std::string model;                            // name and shape, from ModelLine
  std::string text;                             // the input; empty: the tokens show it
  std::vector<std::string> tokens;              // as shown on the axes
  std::vector<std::string> target_tokens = {};  // the decoder's: rows, and its own columns
  std::string target = {};                      // what the decoder read; empty: its tokens show it
  bool target_is_generated = false;
  std::vector<std::string> key_tokens = {};  // columns that belong to another text
  ColorScale scale;  // curve, mode, colour map; low and high apply to a fixed range
  std::vector<HeadFlag> flags = {};
  Pool pool = Pool::kMean;  // for the grid's thumbnails
  KeepRule keep = {};       // which weights lines and arcs show
  Theme theme = Theme::kLight;
  int size_px = 1600;
  FigureLook look = {};
  std::vector<std::string> notes = {};  // shown below the maps
};

// Returns "probe, gpt2, 2 layers x 4 heads, d 192, d_k 48".
[[nodiscard]] std::string ModelLine(const std::string& name,
                                    const std::string& family,
                                    std::int64_t layers,
                                    std::int64_t heads,
                                    std::int64_t model_dim,
                                    const std::string& head_dim);

// Returns token texts for the axes, as the views show them.
[[nodiscard]] std::vector<std::string> AxisTokens(const Encoding& encoding);

inline constexpr std::string_view kMapConvention =
    "Rows are queries, columns are keys; heads and layers count from 0.";
// Makes a page with the caption for that part: model, texts, convention.
[[nodiscard]] FigurePage PageOf(const FigureContext& context,
                                ModelPart part,
                                std::string title,
                                std::string_view convention = kMapConvention);

}  // namespace headscope
