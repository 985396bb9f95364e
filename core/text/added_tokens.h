// Tokens that are found verbatim in the text, before anything else: "<s>", "<|endoftext|>".
//
// Units    byte ranges of the searched text.
// Errors   kFormat: an id out of range or taken, a token too long; the normaliser's own.
// Threads  immutable after Parse and Finish; any thread searches.
// Source   leftmost match, then longest; blanks and word boundaries as in the tokenizers library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/normalizer.h"
#include "core/text/piece_trie.h"
#include "core/text/vocabulary.h"

namespace headscope::text {

struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool special = false;
  bool normalized = false;   // searched for in the normalised text, not in the original
  bool single_word = false;  // never matches inside a word
  bool lstrip = false;       // includes the blanks before it
  bool rstrip = false;       // includes the blanks after it
  bool is_mark = false;      // found only where a section begins with a mark
};

// A section of text that begins with `open` begins with a mark, which ends at the first `close`.
// The mark becomes one token: the one with its name, or else the unknown one.
struct SectionMarks {
  std::string open;
  std::string close;
  std::int32_t unknown_id = 0;
};

// Reads an entry of "added_tokens"; `id` is used where the entry has none.
[[nodiscard]] Result<AddedToken> ParseAddedToken(const JsonObject& object,
                                                 std::optional<std::int32_t> id = std::nullopt);

// A part of a text: a token, or (null) text between tokens.
struct AddedSection {
  std::size_t begin = 0;
  std::size_t end = 0;
  const AddedToken* token = nullptr;
};

class AddedTokens {
 public:
  static constexpr std::size_t kMaxContentBytes = 1024;

  // Reads "added_tokens" of a tokenizer.json and numbers them as the tokenizers library does,
  // whatever ids the file gives: a piece of the vocabulary keeps its id, any other token gets the
  // next id after the `pieces` of the vocabulary and the earlier tokens. Of equal tokens the last
  // one counts, with the id of the first.
  [[nodiscard]] static Result<AddedTokens> Parse(const JsonArray& list,
                                                 const Vocabulary& vocabulary,
                                                 std::int64_t pieces,
                                                 const std::string& name,
                                                 const std::stop_token& stop);
  // Adds a token; if it is a piece of the vocabulary, it gets the piece's id.
  [[nodiscard]] Status Add(AddedToken token, const Vocabulary& vocabulary, const std::string& name);
  // Makes all tokens match the original text, as SentencePiece's tokenizers do.
  void LookAsGiven();
  void ReadMarks(SectionMarks marks) { section_marks_ = std::move(marks); }
  // Call once, after the last Add.
  [[nodiscard]] Status Finish(const Normalizer& normalizer, const std::stop_token& stop);

  // Returns sections that cover the text; none is empty. A token that is itself blank is found
  // among the blanks that the previous token took, and overlaps it.
  [[nodiscard]] std::vector<AddedSection> Find(std::string_view text, bool normalized) const;

  [[nodiscard]] const AddedToken* OfId(std::int32_t id) const;
  // Returns the id of a token added so far.
  [[nodiscard]] std::optional<std::int32_t> IdOf(std::string_view content) const;
  // One past the largest id.
  [[nodiscard]] std::int64_t end_id() const { return end_id_; }

 private:
  [[nodiscard]] static Status Check(const AddedToken& token,
                                    std::size_t count,
                                    const std::string& name);
  void Put(AddedToken token);
  [[nodiscard]] std::vector<AddedSection> WithMarks(std::string_view text,
                                                    std::span<const AddedSection> sections) const;

  std::vector<AddedToken> tokens_;
  std::unordered_map<std::int32_t, std::size_t> by_id_;
  PieceTrie as_given_;  // values are indices into tokens_
  PieceTrie normalized_;
  std::optional<SectionMarks> section_marks_;
  std::unordered_map<std::string, std::size_t> marks_;
  std::int64_t end_id_ = 0;
};

}  // namespace headscope::text
