// Layers x heads, each cell coloured by a score of that head, with a bar of colours and the roles that
// heads have.
//
// Shapes   cells [layers, heads].
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/page_figure.h"
#include "core/heads/scan/scored_metric.h"

namespace headscope {

struct ScoreCell {
  std::optional<float> at = {};           // on the bar, 0 to 1; none: no score
  std::string words = {};                 // of the highest scores
  bool is_faint = false;                  // left out by a filter
  std::string role = {};                  // given or suggested; empty: none
  std::optional<std::uint32_t> rgb = {};  // the role's colour
  bool is_suggested = false;
};

struct ScoreMapContent {
  HeadsOfScan heads;
  std::vector<ScoreCell> cells;
  Colormap colormap = Colormap::kViridis;
  std::string low;  // at the ends of the bar
  std::string high;
  std::optional<float> mark = {};         // chance, on the bar
  std::vector<std::string> columns = {};  // in place of heads' names
  std::string words;                      // what colours and marks mean
};

using ScoreMap = PageFigure<ScoreMapContent>;

inline constexpr std::size_t kTopHeads = 8;

// Around 0 two colours; else the chosen map.
[[nodiscard]] Colormap ColormapOf(const ScoreRange& range, Colormap chosen);
// Where a score stands in the colours.
[[nodiscard]] Rgb ColorOfScore(const ScoreRange& range, Colormap chosen, Theme theme, double score);
// "chance 0.12" or "0.03", at the low end of the bar.
[[nodiscard]] std::string LowWords(const ScoredMetric& metric, const ScoreRange& range);
// "induction on bundled repeats; darkest: chance or less; outlined: the top 8; dot: flag, ring: suggestion"
[[nodiscard]] std::string ScoreMapWords(const ScoredMetric& metric,
                                        const ScoreRange& range,
                                        std::string_view source);

}  // namespace headscope
