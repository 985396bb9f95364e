// Figures of what was computed: the same functions make the exports of the window and of the
// command line.
//
// Shapes   as core/figure/figure.h.
// Units    ranges that a mode measures: MeasuredScale (core/figure/color_scale.h).
// Errors   kInput (a head or layer that is not there).
// Threads  any; LayerAttention is immutable.
// Cost     no weight is made before a figure is drawn; then every row of each map, some at a time.
//          Grids are of thumbnails, which are there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/attention_file.h"
#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/figure/figure.h"
#include "core/figure/map_scale.h"
#include "core/headcount/split.h"
#include "core/heads/head_name.h"
#include "core/io/session_file.h"
#include "core/session/requests.h"
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
  std::span<const HeadFlag> flags;
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

// Names, tokens and what has to be said of attention made elsewhere.
void DescribeGiven(const AttentionFile& file, FigureContext* context);

// What was run, for a context: the text as given, its tokens, and whether it was cut.
void DescribeInput(const InputText& input, const Encoding& encoding, FigureContext* context);

// What the decoder read, for a context: `generated` is the text of a target that nobody gave.
void DescribeTarget(const InputText& input,
                    const Encoding& target,
                    const std::string& generated,
                    FigureContext* context);

// One head in full. `layers` is what a layer or global range is measured over.
[[nodiscard]] Result<Figure> HeadFigure(LayerSpan layers,
                                        HeadIndex head,
                                        const FigureContext& context);

// All heads of one layer, large. `layers` is what a global range is measured over.
[[nodiscard]] Result<Figure> LayerFigure(LayerSpan layers,
                                         std::int64_t layer,
                                         const FigureContext& context);

// All heads of each layer given: a row a layer.
[[nodiscard]] Result<Figure> GridFigure(LayerSpan layers, const FigureContext& context);

// One layer under several head counts: a row a count, with the cost table. Of more than 64 heads
// the first 64 are drawn, and a note says so.
[[nodiscard]] Figure CountsFigure(const SplitResult& split, const FigureContext& context);

}  // namespace headscope
