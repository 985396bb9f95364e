// Words that say little by themselves and stand in every text: "the", "of", "and".
//
// A word is looked for without regard to its letters' case, and with ’ read as '.
//
// Errors   none; bytes that are no UTF-8 are compared as they are.
// Threads  immutable after it is made; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace headscope {

// A short English list of our own: articles, pronouns, prepositions, auxiliary verbs, conjunctions, and
// what a tokenizer leaves of their short forms ('s, n't, 'll). One word a line.
[[nodiscard]] std::string_view EnglishStopWords();

class StopWords {
 public:
  // `list` has words with blanks, commas or line ends between; an empty text stands for the English list.
  explicit StopWords(std::string_view list);

  [[nodiscard]] bool Has(std::string_view word) const;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }

 private:
  std::set<std::string, std::less<>> words_;
};

}  // namespace headscope
