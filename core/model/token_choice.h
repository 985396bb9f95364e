// What a model's files change in the scores of the token that a generated text goes on with, and
// how long that text is: the settings of generation_config.json that a greedy choice is made by.
//
// Units    lengths count tokens, the start token included.
// Threads  plain values.
// Source   transformers' generate(), with neither beams nor draws, batches of one text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct TokenChoice {
  using Ids = std::vector<std::int32_t>;
  struct Bias {
    Ids sequence;  // added to the score of its last token where the text ends with the others
    float bias = 0.0F;
  };
  // The end's score grows with each token after the first `after` made ones.
  struct Decay {
    std::int64_t after = 0;
    double factor = 1.0;
  };

  Ids ends;  // each ends the text; empty: it goes on to its greatest length
  std::vector<Bias> biases;
  double source_penalty = 1.0;         // tokens of the encoder's text, made likelier above 1
  double repetition_penalty = 1.0;     // tokens of the text so far, made less likely above 1
  std::int64_t unrepeated = 0;         // no so many tokens come in one order twice; 0: they may
  std::int64_t source_unrepeated = 0;  // nor as in the encoder's text
  std::vector<Ids> banned;             // sequences
  std::int64_t least = 0;              // does not end before
  std::optional<std::int64_t> most;
  std::optional<std::int32_t> first_id;  // follows the start token
  Ids last_ids;                          // the only ones at the end of `most` tokens; empty: any
  std::optional<Decay> decay;
  Ids suppressed;
  Ids suppressed_first;     // where the first free choice is made
  std::string unsupported;  // a sentence about what the files ask for and this cannot do; or empty
};

struct TextSoFar {
  std::span<const std::int32_t> source;  // what the encoder reads; empty: not tokens
  std::span<const std::int32_t> made;    // the decoder's, its start token first
};

// Changes the scores, one for each token of the vocabulary, as the settings say.
void Adjust(const TokenChoice& choice, const TextSoFar& text, std::span<float> scores);

}  // namespace headscope
