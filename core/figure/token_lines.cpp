#include "core/figure/token_lines.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/grouped.h"

namespace headscope {

namespace {

// "92 %", "under 1 %", "over 99 %".
std::string Percent(double share) {
  const double percent = 100.0 * share;
  if (percent > 0.0 && percent < 0.995) {
    return "under 1 %";
  }
  if (percent < 100.0 && percent > 99.0 && std::round(percent) == 100.0) {
    return "over 99 %";
  }
  return fmt::format("{:.0f} %", percent);
}

}  // namespace

float StrengthOf(const KeptWeight& weight, const ColorScale& scale) {
  ColorScale own = scale;
  if (scale.range == RangeMode::kRow) {
    own.low = 0.0F;
    own.high = weight.row_largest;
  }
  return Position(own, weight.weight);
}

float LinesPlace::QueryY(std::int64_t query) const {
  return field.y +
         static_cast<float>((static_cast<double>(query) + 0.5 - first_query) * query_pitch());
}

float LinesPlace::KeyY(std::int64_t key) const {
  return field.y + static_cast<float>((static_cast<double>(key) + 0.5 - first_key) * key_pitch());
}

Stroke LineOf(const KeptWeight& weight, std::span<const LineInk> inks, const LinesPlace& place) {
  const LineInk& ink = inks[static_cast<std::size_t>(weight.view)];
  const float strength = StrengthOf(weight, ink.scale);
  return {.x0 = place.field.x,
          .y0 = place.QueryY(weight.query),
          .x1 = place.field.x + place.field.width,
          .y1 = place.KeyY(weight.key),
          .thickness = place.unit * (1.0F + 1.5F * strength),
          .color = ink.color,
          .alpha = strength};
}

std::vector<Stroke> LinesBetween(std::span<const KeptWeight> weights,
                                 std::span<const LineInk> inks,
                                 const LinesPlace& place) {
  std::vector<Stroke> lines;
  lines.reserve(weights.size());
  for (const KeptWeight& weight : weights) {
    const Stroke line = LineOf(weight, inks, place);
    if (std::max(line.y0, line.y1) >= place.field.y &&
        std::min(line.y0, line.y1) <= place.field.y + place.field.height) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string LinesWords(const KeepRule& rule, const KeptWeights& kept, LinesSubject of) {
  constexpr std::array kGiven = {
      "what each row gives its tokens", "what this row gives its tokens", "what this token gets"};
  constexpr std::array kWhole = {"all attention", "its attention", "that"};
  const auto subject = static_cast<std::size_t>(of);
  std::string words =
      rule.mass >= 1.0
          ? "Every weight above 0"
          : fmt::format("Largest weights up to {} of {}", Percent(rule.mass), kGiven.at(subject));
  if (rule.per_row > 0) {
    words += of == LinesSubject::kAllRows ? fmt::format(", {} of a row at most", rule.per_row)
                                          : fmt::format(", {} at most", rule.per_row);
  }
  const auto lines = std::ssize(kept.weights);
  words += fmt::format(": {} {} {} of {}",
                       Grouped(lines),
                       lines == 1 ? "line holds" : "lines hold",
                       Percent(kept.kept),
                       rule.mass >= 1.0 && of == LinesSubject::kColumn ? "what this token gets"
                                                                       : kWhole.at(subject));
  if (kept.smaller > 0 || kept.beyond > 0) {
    const std::int64_t others = kept.smaller + kept.beyond;
    // Of rows that look at much, some that are drawn are smaller than what is not of other rows.
    words += fmt::format("; {} in {} {} {} is not drawn",
                         Percent(kept.left),
                         Grouped(others),
                         kept.beyond > 0 ? "other" : "smaller",
                         others == 1 ? "weight" : "weights");
  }
  if (kept.beyond > 0) {
    words += fmt::format(
        " ({} of them belong to the {} of their rows: at most {} lines are drawn, each row's "
        "largest first)",
        Grouped(kept.beyond),
        Percent(rule.mass),
        Grouped(rule.most));
  }
  if (kept.sink > 0.0) {
    words += fmt::format("; {} goes to the sink, which is no token", Percent(kept.sink));
  }
  return words + ".";
}

}  // namespace headscope
