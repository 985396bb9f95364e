#include "core/figure/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "core/text/indexed_name.h"

namespace headscope {
namespace {

// 1, 2, 5, 10, 20, 50, ...
std::int64_t RoundStride(double least) {
  std::int64_t power = 1;
  while (true) {
    for (const std::int64_t step : std::array<std::int64_t, 3>{1, 2, 5}) {
      if (static_cast<double>(step * power) >= least) {
        return step * power;
      }
    }
    power *= 10;
  }
}

}  // namespace

Axis MakeAxis(std::span<const std::string> tokens,
              double pitch,
              double longest_px,
              double line_of_size,
              const FigureStyle& style,
              TextSetter* setter) {
  Axis axis;
  axis.pitch = pitch;
  axis.style = {
      .family = FontFamily::kMono,
      .size_px = std::clamp(pitch / line_of_size, style.smallest_token, style.largest_token),
      .bold = false,
      .max_width_px = longest_px};
  axis.stride = RoundStride(axis.style.size_px * line_of_size / std::max(pitch, 1e-6) - 1e-9);
  std::unordered_map<std::string_view, int> times;
  for (const std::string& token : tokens) {
    ++times[token];
  }
  for (std::size_t i = 0; i < tokens.size(); i += static_cast<std::size_t>(axis.stride)) {
    AxisLabel label{.token = static_cast<std::int64_t>(i), .text = tokens[i]};
    if (axis.stride > 1 || times[tokens[i]] > 1) {
      label.text = IndexedName(label.text, label.token);
    }
    axis.longest = std::max(axis.longest, setter->Measure(label.text, axis.style).width);
    axis.labels.push_back(std::move(label));
  }
  return axis;
}

}  // namespace headscope
