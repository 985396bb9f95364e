#include "core/figure/token_axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <unordered_map>

#include "core/text/indexed_name.h"

namespace headscope {
namespace {

constexpr double kSlant = 55.0 * std::numbers::pi / 180.0;
constexpr double kLineOfSize = 1.15;
constexpr double kSlantedLineOfSize = 1.4;

double AxisGap(const FigureStyle& style) {
  return std::round(8.0 * style.unit);
}

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

TokenAxes PlaceTokenAxes(const NamedSides& sides,
                         double longest,
                         const FigureStyle& style,
                         TextSetter* setter) {
  TokenAxes axes;
  axes.queries =
      MakeAxis(sides.query_tokens, sides.query_pitch, longest, kLineOfSize, style, setter);
  axes.keys =
      MakeAxis(sides.key_tokens, sides.key_pitch, longest, kSlantedLineOfSize, style, setter);
  const double gap = AxisGap(style);
  axes.left = sides.query_tokens.empty() ? 0.0 : axes.queries.longest + gap;
  const Axis& keys = axes.keys;
  axes.slanted = keys.longest > keys.pitch - 8.0 * style.unit;
  if (keys.labels.empty()) {
    return axes;
  }
  axes.top = gap + 1.3 * keys.style.size_px;
  if (axes.slanted) {
    axes.top = gap + keys.longest * std::sin(kSlant) + 0.6 * keys.style.size_px;
    for (const AxisLabel& label : keys.labels) {
      const double wide = setter->Measure(label.text, keys.style).width;
      const double end = (static_cast<double>(label.token) + 0.5) * keys.pitch +
                         wide * std::cos(kSlant) + 0.6 * keys.style.size_px;
      axes.overhang = std::max(axes.overhang, end - sides.width);
    }
  }
  return axes;
}

void DrawQueryLabels(
    Canvas* canvas, const TokenAxes& axes, const FigureStyle& style, Theme theme, int x, int y) {
  const double gap = AxisGap(style);
  const Axis& axis = axes.queries;
  const ThemeColors& colors = ColorsOf(theme);
  for (const AxisLabel& label : axis.labels) {
    const double middle = y + (static_cast<double>(label.token) + 0.5) * axis.pitch;
    const double tall = canvas->setter()->Measure(label.text, axis.style).height;
    canvas->TextRight(x - gap, middle - tall / 2.0, label.text, axis.style, colors.text);
    if (axis.stride > 1) {
      canvas->Fill(x - gap * 0.6, std::floor(middle), gap * 0.4, 1.0, colors.dim);
    }
  }
}

void DrawKeyLabels(
    Canvas* canvas, const TokenAxes& axes, const FigureStyle& style, Theme theme, int x, int y) {
  const double gap = AxisGap(style);
  const Axis& axis = axes.keys;
  const ThemeColors& colors = ColorsOf(theme);
  for (const AxisLabel& label : axis.labels) {
    const double middle = x + (static_cast<double>(label.token) + 0.5) * axis.pitch;
    if (axes.slanted) {
      canvas->TextTurned(middle, y - gap, -kSlant, label.text, axis.style, colors.text);
    } else {
      const double tall = canvas->setter()->Measure(label.text, axis.style).height;
      canvas->TextCentered(middle, y - gap * 0.75 - tall, label.text, axis.style, colors.text);
    }
    if (axis.stride > 1) {
      canvas->Fill(std::floor(middle), y - gap * 0.6, 1.0, gap * 0.4, colors.dim);
    }
  }
}

}  // namespace headscope
