// How a model's files change the scores of the next token of a generated text, and the text's
// length: the settings of generation_config.json that affect a greedy choice.
//
// Units    lengths count tokens, the start token included.
// Source   transformers' generate(), without beams or sampling, for batches of one text.
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
    Ids sequence;  // added to the last token's score if the text ends with the others
    float bias = 0.0F;
  };
  // The end token's score grows with each generated token after the first `after`.
  struct Decay {
    std::int64_t after = 0;
    double factor = 1.0;
  };

  Ids ends;  // each ends the text; empty: it runs to its maximum length
  std::vector<Bias> biases;
  double source_penalty = 1.0;         // above 1: makes tokens of the encoder's text likelier
  double repetition_penalty = 1.0;     // above 1: makes tokens of the text so far less likely
  std::int64_t unrepeated = 0;         // no sequence of this many tokens occurs twice; 0: any may
  std::int64_t source_unrepeated = 0;  // the same for sequences of the encoder's text
  std::vector<Ids> banned;             // sequences
  std::int64_t least = 0;              // the text does not end before this length
  std::optional<std::int64_t> most;
  std::optional<std::int32_t> first_id;  // follows the start token
  Ids last_ids;                          // allowed as the last of `most` tokens; empty: any
  std::optional<Decay> decay;
  Ids suppressed;
  Ids suppressed_first;     // at the first free choice
  std::string unsupported;  // names a setting in the files that is not supported; or empty
};

struct TextSoFar {
  std::span<const std::int32_t> source;  // the encoder's input; empty: not tokens
  std::span<const std::int32_t> made;    // the decoder's, its start token first
};

// Changes the scores, one per token of the vocabulary, by the settings.
void Adjust(const TokenChoice& choice, const TextSoFar& text, std::span<float> scores);

}  // namespace headscope
