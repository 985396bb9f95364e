// Turns text into the ids that a model was trained on, as described by the files next to the model.
//
// Shapes   Encoding::tokens [n], in model order, special tokens included where the tokenizer adds
//          them.
// Units    begin/end are byte offsets in the original text (in the second text of a pair for
//          segment 1).
// Errors   kIo, kFormat, kUnsupported (a part of tokenizer.json that the program does not support,
//          which is named); kInput (invalid UTF-8 with its byte offset; a text over the size cap);
//          kCancelled.
// Threads  immutable after Load; any thread encodes.
// Cost     loading checks `stop` every few milliseconds, except while it parses a JSON file, about
//          a millisecond per megabyte.
// Source   Sennrich 2016 (BPE); equality with the tokenizers library is tested.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

struct Token {
  std::int32_t id = 0;
  std::string text;  // as in the vocabulary: "Ġthe", "▁the"
  // For display: without markers, control characters and broken UTF-8 made visible; never empty.
  std::string display;
  std::int32_t word = -1;    // index of the word it belongs to; -1 for special tokens
  std::int32_t segment = 0;  // 0, or 1 in the second text of a pair
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool special = false;
  // Stands for text that the vocabulary lacks: the unknown token, or one of its bytes.
  bool unknown = false;
};

// The words of a text that are not in a vocabulary (core/text/unknown_words.h).
struct UnknownWords {
  std::int64_t words = 0;         // in the text
  std::int64_t unknown = 0;       // how many of them are unknown
  std::vector<std::string> list;  // each word once, at most 200; long ones are shortened
};

// "3 of 9 words are unknown to this model: sailor, island, gave"
[[nodiscard]] std::string UnknownSentence(const UnknownWords& words);

struct Encoding {
  std::vector<Token> tokens;
  UnknownWords unknown = {};  // of a text; empty for ids
  // The number of tokens of the whole text if only its first ones are here; 0 if all are here.
  std::int64_t cut_from = 0;
  [[nodiscard]] std::vector<std::int32_t> Ids() const;
};

struct EncodeOptions {
  std::optional<std::string> pair;  // a second text
  bool add_special = true;          // BOS, [CLS], [SEP] as the tokenizer's post-processing says
  std::stop_token stop;             // polled between chunks of a long text
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  [[nodiscard]] virtual Result<Encoding> Encode(std::string_view text,
                                                const EncodeOptions& options) const = 0;

  // Describes given ids (--ids): takes texts from the vocabulary and groups words as far as the
  // markers tell. An id beyond the vocabulary is shown as its number; the model rejects it, not the
  // tokenizer.
  [[nodiscard]] virtual Encoding Describe(std::span<const std::int32_t> ids) const = 0;

  // Returns the text that ids spell, without special tokens and outer blanks; may contain broken
  // UTF-8.
  [[nodiscard]] virtual std::string Spell(std::span<const std::int32_t> ids) const = 0;

  [[nodiscard]] virtual std::int64_t vocabulary_size() const = 0;

 protected:
  Tokenizer() = default;
};

// Loads from a Hugging Face folder: tokenizer.json, else source.spm + vocab.json, vocab.json +
// merges.txt, vocab.txt, or tokenizer.model (spiece.model). A folder with none gives null, not an
// error: such a model takes --ids, and its tokens are shown as numbers.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    const std::filesystem::path& folder, const std::stop_token& stop = {});

// Loads the tokenizer for target texts if it differs from the one for source texts (Marian's
// target.spm); otherwise null.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadTargetTokenizer(
    const std::filesystem::path& folder, const std::stop_token& stop = {});

// Parses the bytes of a tokenizer.json; messages call it `name`. For tests and fuzzing.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string_view json,
                                                                          const std::string& name);

// Parses the bytes of a SentencePiece model (tokenizer.model) alone: nothing goes around a text.
// For tests and fuzzing.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> ParseTokenizerModel(std::string_view bytes,
                                                                           const std::string& name);

// Shows ids as numbers, for models without a tokenizer.
[[nodiscard]] Encoding DescribeAsNumbers(std::span<const std::int32_t> ids);

}  // namespace headscope
