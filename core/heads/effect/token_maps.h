// Tests whether a head maps words to others by its weights alone: from a word to its plural, from a
// number to the next, from a country to its capital, from a verb to its past tense.
//
// For each pair: what the head adds if it attends only to the first word, (norm(x) W_V + b_V) W_O,
// goes through the later norms to the output matrix; the test is whether the second word is among
// the ten ids that it raises most. x is the word's embedding, above layer 0 plus what layer 0's MLP
// makes of it.
//
// Units    shares of the pairs, 0 to 1. Chance: 10 / vocabulary; control: whether the second word
//          of the next pair is among the ten.
// Errors   kInput (a file that is not such a table: with the line), kIo, kCancelled, the backend's
//          errors.
// Threads  reading: any; measuring: the backend's.
// Cost     d dv per head and pair, and the first rows of the output matrix; the rest of it only for
//          pairs for which fewer than ten ids have ranked higher so far.
// Source   Gould 2023, "Successor Heads"; docs/reference.md, "score".
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/heads/measure/head_means.h"
#include "core/model/forward.h"

namespace headscope {

inline constexpr std::int64_t kFewestMappedTokens = 30;
inline constexpr std::int64_t kTopTargets = 10;

struct WordPairs {
  std::string name;
  std::vector<std::pair<std::string, std::string>> words;
};

// Parses "[name]", then two words per line; lines that begin with # are comments.
[[nodiscard]] Result<std::vector<WordPairs>> ParseTokenMaps(std::string_view text,
                                                            const std::string& name);
[[nodiscard]] Result<std::vector<WordPairs>> ReadTokenMaps(const std::filesystem::path& path);

struct MappedToken {
  std::int32_t source = 0;
  std::int32_t target = 0;
  friend bool operator==(const MappedToken&, const MappedToken&) = default;
};

// Returns the pairs whose words are one known token each, both with or both without a leading
// space; no token occurs twice as a source.
[[nodiscard]] std::vector<MappedToken> SingleTokenPairs(const Tokenizer& tokenizer,
                                                        const WordPairs& map);

// For each head and pair, [layers heads][pair].
struct MapHits {
  std::vector<std::vector<bool>> target;   // among the ten
  std::vector<std::vector<bool>> control;  // the next pair's target
};
[[nodiscard]] Result<MapHits> FindMapHits(Forward* forward,
                                          std::span<const MappedToken> pairs,
                                          const std::stop_token& stop);

// Adds the tables with enough pairs, under the ids of core/heads/measure/measures/token_maps.cpp.
// Adds nothing for a model without a tokenizer or an output layer.
[[nodiscard]] Status AddTokenMaps(Forward* forward,
                                  std::span<const WordPairs> maps,
                                  const std::stop_token& stop,
                                  MeanTotals* means);

}  // namespace headscope
