// A text shaded by attention: how much each token is looked at by some words, or how much each looks
// at them; of one head, or the mean of several. The same numbers shade it in the window and in
// figures.
//
// Units    sums over the words; means over the heads. Looked at: from 0 to the number of words.
//          Looking: from 0 to 1.
// Threads  any; a row or a column for each word and head.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/attention/map_view.h"
#include "core/figure/color_scale.h"

namespace headscope {

struct ShadeQuestion {
  std::vector<MapView> maps = {};        // of one layer
  std::vector<std::int64_t> words = {};  // tokens; none: all of them, and the mean over them
  bool by_key = false;                   // who looks at the words, not what they look at
  friend bool operator==(const ShadeQuestion&, const ShadeQuestion&) = default;
};

struct TextShades {
  std::vector<float> values = {};  // of each key or, by key, of each query
  double sum = 0.0;                // of them
  double sink = 0.0;               // what the heads' sinks take of the words' rows; 0 by key
  std::int64_t words = 0;          // that are summed; 0: a mean over all
};
[[nodiscard]] TextShades ShadesOf(const ShadeQuestion& question);

// The map's scale for sums over words: a fixed or measured range is that of as many rows, and a
// range by row ends at the largest value.
[[nodiscard]] ColorScale ScaleOfShades(const ColorScale& scale, const TextShades& shades);

// Returns what `now` has more than `kept`, word by word, and the largest of it either way. Of the same
// text, the same direction and as many words; else why there is none, in a sentence.
struct ShadeDifference {
  std::vector<float> values = {};
  float largest = 0.0F;
  std::string why_not = {};
};
[[nodiscard]] ShadeDifference DifferenceOf(const ShadeQuestion& asked_now,
                                           const TextShades& now,
                                           const ShadeQuestion& asked_kept,
                                           const TextShades& kept);

// "What “captain” looks at", "Who looks at “captain” and “old” (sum)", "What all 12 words look at
// (mean)".
[[nodiscard]] std::string ShadeWords(std::span<const std::string> words,
                                     std::int64_t all,
                                     bool by_key);

}  // namespace headscope
