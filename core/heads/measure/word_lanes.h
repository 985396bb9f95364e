// Attention between words of eight heads side by side (core/attention/head_lanes.h): from rows of tokens
// to rows of words, and what heads answer to questions about them.
//
// Shapes   rows of tokens [keys][8], of words [words][8], maps [words][words][8], rows are queries.
// Errors   none.
// Cost     one step a cell for eight heads.
// Source   core/heads/measure/word_cases.h.
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/head_lanes.h"

namespace headscope {

struct WordTokens {  // one after another, of one word
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::size_t word = 0;
};

// Adds `count` cells of eight heads.
void AddLaneRow(const float* row, std::int64_t count, float* to);

// What lies on each word, times `part`, to the word's place in `to`; `row`: [count] tokens.
void AddToWords(const float* row,
                std::int64_t count,
                std::span<const WordTokens> tokens,
                float part,
                float* to);

// A map of words.
struct WordMap {
  const float* cells = nullptr;
  std::span<const std::int64_t> pieces;  // of each word; without any it asks nothing
  bool causal = false;
  [[nodiscard]] const float* Row(std::size_t query) const {
    return cells + query * pieces.size() * kLanesOfGroup;
  }
  // What rows count when they are added up: each times the words that it sees.
  [[nodiscard]] double WeightOf(std::size_t query) const {
    return causal ? static_cast<double>(query + 1) : 1.0;
  }
};

// The weighted sum over all other queries, for each key. `liked`: [words][8].
void SumLiked(const WordMap& map, double* liked);

// A bit for each head whose answer is the word.
[[nodiscard]] std::uint64_t HeadsWith(const std::int32_t (&answers)[kLanesOfGroup],
                                      std::int32_t word);

struct WordAnswers {  // to a question, [head]
  std::int32_t best[kLanesOfGroup];
  std::int32_t popular[kLanesOfGroup];
};
// The words of `among` that the row of `query` looks at most, and that others look at most: `liked`
// without `query`'s own row, times `part_of` of the word. The first of equals.
void AnswerQuestion(const WordMap& map,
                    std::size_t query,
                    std::span<const std::size_t> among,
                    const double* liked,
                    std::span<const double> part_of,
                    WordAnswers* answers);

}  // namespace headscope
