// A sentence and the same one with a word exchanged: what Compare offers of the open sentence.
//
// Units    bytes of UTF-8; a word is letters of ASCII, digits and whatever is not ASCII.
// Errors   none; none where the text has no two different words of two letters.
// Threads  a pure function.
// Cost     the words squared: a long text is read up to its first kMostWordsPaired words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace headscope {

constexpr std::size_t kMostWordsPaired = 200;

struct MinimalPair {
  std::string text;  // with the word exchanged
  std::string given_up;
  std::string taken;
};

// The word comes from the sentence itself, so every vocabulary that reads the sentence knows it. It
// stands where it would be read most alike: after the same words, before the same word or a mark, or
// both are names. Where no two do, the first long word gives way to the last.
[[nodiscard]] std::optional<MinimalPair> MinimalPairOf(const std::string& text);

}  // namespace headscope
