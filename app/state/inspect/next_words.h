// What the window says of the next word: the likeliest tokens, the one that came, and the heads' shares.
//
// Units    lengths are parts of the longest bar, 0 to 1; shares logits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/heads/measure/head_name.h"
#include "core/worker/next_word.h"

namespace headscope {

struct AppState;

struct LikelyLine {
  std::string token;
  std::string number;  // "33.7 %"
  float length = 0.0F;
  bool is_actual = false;  // it came
  friend bool operator==(const LikelyLine&, const LikelyLine&) = default;
};

struct NextWords {
  std::string title;  // "The next word"
  std::string told;   // of what came: "captain: 33.7 %, rank 1, loss 1.09"; empty: nothing is known
  std::vector<LikelyLine> lines;
  std::string shares;  // over the map of heads; empty: the model cannot be split
};
[[nodiscard]] NextWords WordsOfNext(const NextWord& word);

// Whether the held row is the text's end, and what may follow it was said.
[[nodiscard]] bool CanContinue(const AppState& state);

// "33.7 %"
[[nodiscard]] std::string PercentText(double probability);

// What the stream would say after each layer, if the rest of the model did nothing.
struct LensLine {
  std::string layer;                  // "L2"
  std::vector<LikelyLine> likeliest;  // three at most; lengths are probabilities
  std::string words;                  // all of them
};
[[nodiscard]] std::vector<LensLine> LensOf(const NextWord& word);

// A head's share, none where there are none.
[[nodiscard]] std::optional<double> ShareOf(const NextWord& word, HeadIndex head);
// Of each head of the map, in its order; 0 where there is none. One pass over all shares.
[[nodiscard]] std::vector<double> SharesOfHeads(const NextWord& word);
// The largest one without its sign.
[[nodiscard]] double LargestShare(const NextWord& word);
// "most: L3H3, +1.21; red up, blue down"
[[nodiscard]] std::string MostWords(const NextWord& word);
// "L1H3: +0.61 of the logit"
[[nodiscard]] std::string ShareWords(const NextWord& word, HeadIndex head);

}  // namespace headscope
