#include "core/figure/token_arcs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {

TextLine PlaceWords(std::span<const LineWord> words, float gap, bool right_to_left, float room) {
  TextLine line;
  float end = 0.0F;
  for (const LineWord& word : words) {
    const float begin = end + (line.middles.empty() || word.continues ? 0.0F : gap);
    line.middles.push_back(begin + word.width / 2.0F);
    line.widths.push_back(word.width);
    end = begin + word.width;
  }
  line.width = end;
  if (room > 0.0F && end > room) {
    line.is_squeezed = true;
    line.width = room;
    for (float& middle : line.middles) {
      middle *= room / end;
    }
  }
  if (right_to_left) {
    for (float& middle : line.middles) {
      middle = line.width - middle;
    }
  }
  return line;
}

std::vector<bool> WordsWithRoom(const TextLine& line,
                                float gap,
                                std::span<const std::int64_t> first) {
  std::vector<bool> shown(line.middles.size(), !line.is_squeezed);
  if (!line.is_squeezed) {
    return shown;
  }
  // Which pixels are taken.
  std::vector<bool> taken(static_cast<std::size_t>(std::ceil(line.width)) + 1);
  const auto place = [&](std::size_t word) {
    const auto at = [&](float x) {
      return static_cast<std::size_t>(std::clamp(x, 0.0F, line.width));
    };
    const float half = (line.widths[word] + gap) / 2.0F;
    const std::size_t begin = at(line.middles[word] - half);
    const std::size_t end = at(line.middles[word] + half) + 1;
    const auto from = taken.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = taken.begin() + static_cast<std::ptrdiff_t>(end);
    if (!shown[word] && std::find(from, to, true) == to) {
      std::fill(from, to, true);
      shown[word] = true;
    }
  };
  for (const std::int64_t word : first) {
    place(static_cast<std::size_t>(word));
  }
  for (std::size_t word = 0; word < shown.size(); ++word) {
    place(word);
  }
  return shown;
}

std::int64_t WordAt(const TextLine& line, float x) {
  std::int64_t nearest = -1;
  float least = 0.0F;
  for (std::size_t word = 0; word < line.middles.size(); ++word) {
    // Within a word the distance is below 0: a short one beside a long one keeps its own place.
    const float half = line.is_squeezed ? 0.0F : line.widths[word] / 2.0F;
    const float distance = std::abs(x - line.middles[word]) - half;
    if (nearest < 0 || distance < least) {
      least = distance;
      nearest = static_cast<std::int64_t>(word);
    }
  }
  return nearest;
}

Stroke ArcOf(const KeptWeight& weight, std::span<const LineInk> inks, const ArcsPlace& place) {
  const LineInk& ink = inks[static_cast<std::size_t>(weight.view)];
  const float strength = StrengthOf(weight, ink.scale);
  Stroke arc{.x0 = place.left + place.queries->middles[static_cast<std::size_t>(weight.query)],
             .y0 = place.top,
             .x1 = place.left + place.keys->middles[static_cast<std::size_t>(weight.key)],
             .y1 = place.top,
             .thickness = place.unit * (1.0F + 1.5F * strength),
             .color = ink.color,
             .alpha = strength};
  if (!place.is_one_text()) {
    arc.y1 = place.bottom;
    return arc;
  }
  if (weight.key > weight.query) {
    arc.y0 = arc.y1 = place.bottom;
  }
  if (weight.key == weight.query) {
    // A loop over the word itself.
    const float half = std::min(
        6.0F * place.unit, place.queries->widths[static_cast<std::size_t>(weight.query)] / 2.0F);
    arc.x0 -= half;
    arc.x1 += half;
    arc.rise = std::min(place.rise, 12.0F * place.unit);
    return arc;
  }
  // Nearly half circles; the longer, the flatter, so that the longest find room.
  const float rise =
      place.rise * (1.0F - std::exp(-std::abs(arc.x1 - arc.x0) / (2.0F * place.rise)));
  arc.rise = weight.key > weight.query ? -rise : rise;
  return arc;
}

std::vector<Stroke> ArcsBetween(std::span<const KeptWeight> weights,
                                std::span<const LineInk> inks,
                                const ArcsPlace& place,
                                const Rect& view) {
  std::vector<Stroke> arcs;
  arcs.reserve(weights.size());
  for (const KeptWeight& weight : weights) {
    const Stroke arc = ArcOf(weight, inks, place);
    if (std::max(arc.x0, arc.x1) >= view.x && std::min(arc.x0, arc.x1) <= view.x + view.width) {
      arcs.push_back(arc);
    }
  }
  return arcs;
}

}  // namespace headscope
