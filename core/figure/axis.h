// Token labels along one side of a map: their size, their number and their text.
//
// Units    pixels; a token's position is its index times `pitch`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/figure/figure_style.h"

namespace headscope {

struct AxisLabel {
  std::int64_t token = 0;
  std::string text;
};

struct Axis {
  double pitch = 0.0;
  std::int64_t stride = 1;  // every stride-th token has a label
  TextStyle style;
  double longest = 0.0;  // the longest label's length
  std::vector<AxisLabel> labels;
};

// A token that occurs more than once is followed by its index, as on screen: "the (4)"; if labels
// are thinned out, each one has its index. line_of_size: the space that a label needs along the
// axis, relative to its letter size.
[[nodiscard]] Axis MakeAxis(std::span<const std::string> tokens,
                            double pitch,
                            double longest_px,
                            double line_of_size,
                            const FigureStyle& style,
                            TextSetter* setter);

}  // namespace headscope
