// What two runs of one text have in common along one axis of their maps: the same tokens, or, of
// two tokenizers, the same words.
//
// Shapes   place_a, place_b: of each token of A and of B its place on the shared axis, kNoPlace for
//          special tokens among words. Empty: the tokens themselves are the places.
// Errors   kInput: the runs are of other tokens and share no text; the sentence says where they
//          part.
// Threads  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {

inline constexpr std::int32_t kNoPlace = -1;

struct SharedAxis {
  std::vector<std::string> names;     // of each place: as the vocabulary writes it, or the word
  std::vector<std::string> displays;  // for labels
  std::vector<std::int32_t> place_a = {};
  std::vector<std::int32_t> place_b = {};
  // Whether special tokens stand beside the words, in either run: they have a last column.
  bool has_special = false;
  std::string note = {};  // what has to be said; empty where the tokens are the same

  [[nodiscard]] bool is_by_words() const { return !place_a.empty(); }
  [[nodiscard]] std::int64_t size() const { return std::ssize(names); }
};

// `text_a` and `text_b`: what was read, where tokens tell their place in it. Tokens that differ
// need it: words are then what ends at the same place in both.
struct SharedText {
  const Encoding& a;
  const Encoding& b;
  const std::string* text = nullptr;  // of both; null: not known, or not the same
  const std::string* pair = nullptr;
  // What to do about runs of other tokens.
  std::string_view advice = "compare them on one text, where words can be matched";
};
[[nodiscard]] Result<SharedAxis> ShareAxis(const SharedText& texts);

}  // namespace headscope
