#include "core/figure/text_shades.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/attention/kept_weights.h"

namespace headscope {
namespace {

void Add(std::span<const float> from, std::vector<float>* to) {
  std::ranges::transform(*to, from, to->begin(), std::plus<>{});
}

}  // namespace

TextShades ShadesOf(const ShadeQuestion& question) {
  TextShades shades{.words = std::ssize(question.words)};
  if (question.maps.empty()) {
    return shades;
  }
  const MapView& first = question.maps.front();
  const std::int64_t asked = question.by_key ? first.keys() : first.queries();
  shades.values.resize(static_cast<std::size_t>(question.by_key ? first.queries() : first.keys()));
  std::vector<std::int64_t> words = question.words;
  if (words.empty()) {
    words.resize(static_cast<std::size_t>(asked));
    std::iota(words.begin(), words.end(), std::int64_t{0});
  }
  std::vector<float> line(shades.values.size());
  for (const MapView& map : question.maps) {
    for (const std::int64_t word : words) {
      if (question.by_key) {
        ColumnOf(map, word, line);
      } else {
        map.layer->Row(map.head, word, line);
        map.layer->MakeDrawable(line);
        shades.sink += map.layer->SinkWeight(map.head, word);
      }
      Add(line, &shades.values);
    }
  }
  double parts = static_cast<double>(question.maps.size());
  if (question.words.empty()) {
    parts *= static_cast<double>(words.size());
  }
  for (float& value : shades.values) {
    value = static_cast<float>(static_cast<double>(value) / parts);
  }
  shades.sink /= parts;
  shades.sum = std::accumulate(shades.values.begin(), shades.values.end(), 0.0);
  return shades;
}

ShadeDifference DifferenceOf(const ShadeQuestion& asked_now,
                             const TextShades& now,
                             const ShadeQuestion& asked_kept,
                             const TextShades& kept) {
  ShadeDifference difference;
  if (now.values.empty() || now.values.size() != kept.values.size()) {
    difference.why_not = "Both shadings must be of the same text.";
  } else if (asked_now.by_key != asked_kept.by_key) {
    difference.why_not = "One tells what words look at, the other who looks at them.";
  } else if (now.words != kept.words) {
    difference.why_not = "Both must be of as many words.";
  } else {
    difference.values.resize(now.values.size());
    std::ranges::transform(now.values, kept.values, difference.values.begin(), std::minus<>{});
    for (const float value : difference.values) {
      difference.largest = std::max(difference.largest, std::abs(value));
    }
  }
  return difference;
}

ColorScale ScaleOfShades(const ColorScale& scale, const TextShades& shades) {
  ColorScale own = scale;
  if (scale.range == RangeMode::kRow) {
    own.range = RangeMode::kFixed;
    own.low = 0.0F;
    own.high = shades.values.empty() ? 1.0F : *std::ranges::max_element(shades.values);
    own.high = own.high > 0.0F ? own.high : 1.0F;
  } else if (shades.words > 1) {
    own.low *= static_cast<float>(shades.words);
    own.high *= static_cast<float>(shades.words);
  }
  return own;
}

std::string ShadeWords(std::span<const std::string> words, std::int64_t all, bool by_key) {
  std::string named;
  for (std::size_t i = 0; i < words.size(); ++i) {
    named += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    named += fmt::format("“{}”", words[i]);
  }
  const std::string about = words.size() > 1 ? " (sum)" : words.empty() ? " (mean)" : "";
  if (words.empty()) {
    named = fmt::format("all {} words", all);
  }
  if (by_key) {
    return fmt::format("Who looks at {}{}", named, about);
  }
  return fmt::format("What {} {} at{}", named, words.size() == 1 ? "looks" : "look", about);
}

}  // namespace headscope
