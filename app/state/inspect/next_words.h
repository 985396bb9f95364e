// What the window says of the next word: the likeliest tokens, the one that came, and the heads' shares.
//
// Units    lengths are parts of the longest bar, 0 to 1; shares logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/causes/next_word.h"
#include "core/heads/measure/head_name.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct AppState;
struct WordPlace;

struct LikelyLine {
  std::string token;
  std::string number;      // "33.7 %"
  std::string logit = {};  // "12.41"
  float length = 0.0F;
  bool is_actual = false;  // it came
  friend bool operator==(const LikelyLine&, const LikelyLine&) = default;
};

struct NextWords {
  std::string title;  // "The next word"
  std::string told;   // of what came: "captain: 33.7 %, rank 1, loss 1.09"; empty: nothing is known
  std::vector<LikelyLine> lines;
};
[[nodiscard]] NextWords WordsOfNext(const NextWord& word);

// Whether the last answer is of that row, whatever logit it splits.
[[nodiscard]] bool IsSaidOf(const AppState& state, const WordPlace& place);
// What the model says at the held row; null: not yet, or it says nothing.
[[nodiscard]] std::shared_ptr<const NextWord> WordInView(const AppState& state);
// Whether the held row is the text's end, and what may follow it was said.
[[nodiscard]] bool CanContinue(const AppState& state);

// What the stream would say after each layer, if the rest of the model did nothing.
struct LensLine {
  std::string layer;                  // "L2"
  std::vector<LikelyLine> likeliest;  // three at most; lengths are probabilities
  std::string words;                  // all of them
};
[[nodiscard]] std::vector<LensLine> LensOf(const NextWord& word);

// One part of a logit; lengths are parts of the largest, signed.
struct ShareLine {
  std::string name;    // "L1H3", "L2 MLP"; of a key empty: TokenLabel takes a look at all tokens
  std::string number;  // "+0.61"
  float length = 0.0F;
  std::string about = {};              // its share above the vocabulary's mean
  std::optional<HeadIndex> head = {};  // that wrote it
  std::optional<LayerId> mlp = {};
  std::int64_t key = -1;  // of a head's share by key; -1: none
  friend bool operator==(const ShareLine&, const ShareLine&) = default;
};
struct ShareLines {
  std::vector<ShareLine> lines;  // the largest first, `most` at most
  std::string rest;              // "39 more, together +0.12"; empty: none
};
// Of every part of the logit; nothing where the model cannot be split.
[[nodiscard]] ShareLines PartLines(const NextWord& word, std::size_t most);
// Of one head's share, by the tokens that it read; none: they were not asked.
[[nodiscard]] std::optional<ShareLines> KeyLines(const NextWord& word,
                                                 HeadIndex head,
                                                 const Encoding& keys,
                                                 std::size_t most);
// "sum 12.41, logit 12.41 (4e-07 apart)"
[[nodiscard]] std::string SumWords(const LogitShares& shares);

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
