// How much of the difference between two texts, or over the pairs of a file, comes with each thing
// that is taken over, with its tokens as people read them.
//
// Units    metrics: the logit of the right token minus that of the wrong one.
// Threads  immutable once published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/causes/likely_words.h"
#include "core/causes/patching.h"
#include "core/figure/effect_map.h"

namespace headscope {

struct PatchToken {
  std::int32_t id = 0;
  std::string name;
};

struct PatchedTexts {
  PatchWhat what = PatchWhat::kOutput;
  PatchDirection direction = PatchDirection::kDenoise;
  std::int64_t row = 0;
  std::string row_name;                 // the token there
  bool is_masked = false;               // rows say their own word, not the next one
  std::optional<std::int64_t> at = {};  // the only row of heads that was taken over; none: all
  std::string at_name = {};             // the token there, "Mary / John" where the texts differ
  PatchToken right;
  PatchToken wrong;
  std::vector<PatchToken> likely_clean;  // at the row, the likeliest first
  std::vector<PatchToken> likely_corrupted;
  double clean = 0.0;  // the metric of each text as it is
  double corrupted = 0.0;
  // The metric with each thing taken over: of these heads, or of layers x positions. There may be
  // fewer yet.
  std::vector<double> metrics;
  std::vector<HeadIndex> heads = {};        // of paths: the senders
  std::optional<PatchPaths> paths = {};     // that were followed, in place of `what`
  std::optional<double> together = {};      // of paths: the metric with all senders at once
  LayerId first;                            // of the layers
  std::int64_t layers = 0;                  // 0: of heads
  std::vector<std::string> positions = {};  // "Mary / John" where the texts have other tokens

  // Of a file of pairs: what stands above of words and rows is empty, and metrics are means.
  std::string file = {};   // its name; empty: of two texts
  std::int64_t pairs = 0;  // that are done
  std::int64_t pairs_in_all = 0;
  std::vector<PatchScore> scores = {};  // with errors, by place

  [[nodiscard]] std::size_t count() const {
    return layers > 0 ? static_cast<std::size_t>(layers) * positions.size() : heads.size();
  }
  [[nodiscard]] bool is_whole() const {
    return metrics.size() == count() && pairs == pairs_in_all &&
           paths.has_value() == together.has_value();
  }
  [[nodiscard]] double base() const {
    return direction == PatchDirection::kDenoise ? corrupted : clean;
  }
  [[nodiscard]] double source() const {
    return direction == PatchDirection::kDenoise ? clean : corrupted;
  }
  // 0 as without the thing, 1 as with everything.
  [[nodiscard]] double ScoreOf(double metric) const {
    return (metric - base()) / (source() - base());
  }
};

// "row 4 alone (“Mary / John”)", in an encoder-decoder with where it is; empty: all rows.
[[nodiscard]] std::string RowTakenWords(const PatchedTexts& patched);
// "the queries of L2H3, L3H0", or "the logits".
[[nodiscard]] std::string ReceiverWords(const PatchPaths& paths);
// "queries"
[[nodiscard]] std::string_view InputName(HeadInput input);

// As a figure draws it: of the heads of one part, or of layers x positions. All of it is there, if not
// of every pair.
[[nodiscard]] EffectMap EffectMapOf(const PatchedTexts& patched,
                                    const HeadsOfScan& heads,
                                    const std::string& clean,
                                    const std::string& corrupted);

}  // namespace headscope
