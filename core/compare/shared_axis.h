// The axis that the maps of two runs of one text share: the same tokens, or, with two tokenizers,
// the same words.
//
// Shapes   place_a, place_b: the place of each token of A and of B on the shared axis, kNoPlace for
//          special tokens among words. Empty: the tokens themselves are the places.
// Errors   kInput: the runs have different tokens and share no text; the message says where they
//          begin to differ.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {

inline constexpr std::int32_t kNoPlace = -1;

struct SharedAxis {
  std::vector<std::string> names;     // of each place: as in the vocabulary, or the word
  std::vector<std::string> displays;  // for labels
  std::vector<std::int32_t> place_a = {};
  std::vector<std::int32_t> place_b = {};
  // True if either run has special tokens in addition to the words: they get a last column.
  bool has_special = false;
  std::string note = {};  // what the user should know; empty if the tokens are the same

  [[nodiscard]] bool is_by_words() const { return !place_a.empty(); }
  [[nodiscard]] std::int64_t size() const { return std::ssize(names); }
};

// Two runs and the text that they read. If their tokens differ, the text is needed: words are then
// the parts that end at the same place in both.
// Returns the tokens of each of `count` places, given the place of each token.
[[nodiscard]] std::vector<std::vector<std::int64_t>> TokensOfPlaces(
    std::span<const std::int32_t> places, std::int64_t count);

struct SharedText {
  const Encoding& a;
  const Encoding& b;
  const std::string* text = nullptr;  // the text of both; null: unknown, or not the same
  const std::string* pair = nullptr;
  // What to do if the runs have different tokens and words cannot be matched.
  std::string_view advice = "compare them on one text, where words can be matched";
};
[[nodiscard]] Result<SharedAxis> ShareAxis(const SharedText& texts);

}  // namespace headscope
