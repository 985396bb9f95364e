// Token labels along one side of a map: how large, how many, and what they say.
//
// Units    pixels; a token's place is its index times `pitch`.
// Threads  plain values.
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
  double longest = 0.0;  // label
  std::vector<AxisLabel> labels;
};

// Where a token stands more than once its index follows it, as on screen: "the (4)"; where labels
// are thinned out each has its index. line_of_size: the space a label needs along the axis, in
// sizes of its letters.
[[nodiscard]] Axis MakeAxis(std::span<const std::string> tokens,
                            double pitch,
                            double longest_px,
                            double line_of_size,
                            const FigureStyle& style,
                            TextSetter* setter);

}  // namespace headscope
