// What a figure says besides its maps: model, text, tokens, colours, flags, and how large it is.
//
// Units    ranges that a mode measures: MeasuredScale (core/figure/color_scale.h).
// Threads  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/model_part.h"
#include "core/figure/color_scale.h"
#include "core/figure/figure.h"
#include "core/figure/pool.h"
#include "core/heads/flags/session_file.h"
#include "core/heads/measure/head_name.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct FigureContext {
  std::string model;                            // name and shape, as ModelLine gives it
  std::string text;                             // what the input was; empty: the tokens say it
  std::vector<std::string> tokens;              // as shown on the axes
  std::vector<std::string> target_tokens = {};  // of a decoder: rows, and its own columns
  std::string target = {};                      // what the decoder read; empty: its tokens say it
  bool target_is_generated = false;
  std::vector<std::string> key_tokens = {};  // of columns that are another text's
  ColorScale scale;  // curve, mode, colour map; low and high count if the mode is fixed
  std::vector<HeadFlag> flags = {};
  Pool pool = Pool::kMean;  // of the grid's thumbnails
  Theme theme = Theme::kLight;
  int size_px = 1600;
  std::vector<std::string> notes = {};  // what is said below the maps
};

// "probe, gpt2, 2 layers x 4 heads, d 192, d_k 48".
[[nodiscard]] std::string ModelLine(const std::string& name,
                                    const std::string& family,
                                    std::int64_t layers,
                                    std::int64_t heads,
                                    std::int64_t model_dim,
                                    std::int64_t head_dim);

// Token texts for the axes, as the views show them.
[[nodiscard]] std::vector<std::string> AxisTokens(const Encoding& encoding);

// A page with the caption of maps of that part: model, texts, convention.
[[nodiscard]] FigurePage PageOf(const FigureContext& context, ModelPart part, std::string title);
// The same of what is no map of weights, with a convention of its own.
[[nodiscard]] FigurePage PageOf(const FigureContext& context,
                                ModelPart part,
                                std::string title,
                                std::string_view convention);

}  // namespace headscope
