// Tokens that are found in the text as they stand, before anything else: "<s>", "<|endoftext|>".
//
// Units    byte ranges of the text searched.
// Errors   kFormat: an id out of range or taken, a token too long; those of the normaliser.
// Threads  immutable after Parse and Finish; any thread searches.
// Source   leftmost, then longest; blanks and word limits as the tokenizers library has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/normalizer.h"
#include "core/text/vocabulary.h"

namespace headscope::text {

struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool special = false;
  bool normalized = false;   // looked for in the normalised text, not in the text as given
  bool single_word = false;  // not within a word
  bool lstrip = false;       // takes the blanks before it
  bool rstrip = false;       // takes the blanks after it
};

// A part of a text: a token, or (null) text between tokens.
struct AddedSection {
  std::size_t begin = 0;
  std::size_t end = 0;
  const AddedToken* token = nullptr;
};

class AddedTokens {
 public:
  static constexpr std::size_t kMaxContentBytes = 1024;

  [[nodiscard]] static Result<AddedTokens> Parse(const simdjson::dom::array& list,
                                                 const Vocabulary& vocabulary,
                                                 const std::string& name);
  // A piece of the vocabulary has its id there.
  [[nodiscard]] Status Add(AddedToken token, const Vocabulary& vocabulary, const std::string& name);
  // Once, after the last Add. `normalizer` may be null.
  [[nodiscard]] Status Finish(const Normalizer* normalizer);

  // Covers the text in order; no section is empty.
  [[nodiscard]] std::vector<AddedSection> Find(std::string_view text, bool normalized) const;

  [[nodiscard]] const AddedToken* OfId(std::int32_t id) const;
  // One past the largest id.
  [[nodiscard]] std::int64_t end_id() const { return end_id_; }

 private:
  // Nodes by (parent, byte); a node may be the end of a token.
  struct Trie {
    std::unordered_map<std::uint64_t, std::uint32_t> children;
    std::vector<std::int64_t> token_at = {-1};  // index of the token; -1: none ends here
    void Add(std::string_view text, std::size_t token);
    // The longest token at `begin`: its end and index; index -1 if there is none.
    [[nodiscard]] std::pair<std::size_t, std::int64_t> Longest(std::string_view text,
                                                               std::size_t begin) const;
  };

  std::vector<AddedToken> tokens_;
  std::unordered_map<std::int32_t, std::size_t> by_id_;
  Trie as_given_;
  Trie normalized_;
  std::int64_t end_id_ = 0;
};

}  // namespace headscope::text
