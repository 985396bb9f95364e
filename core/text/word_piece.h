// Longest pieces first: a word is cut from the left into the longest pieces that the vocabulary
// has, of which all but the first are written with a prefix ("##"). A word that does not come out
// whole is the unknown token.
//
// Errors   parsing: kFormat, kCancelled. Tokenize: kInput, for an unknown word where there is
//          no unknown token.
// Threads  as TokenModel.
// Cost     linear in the word, times the longest piece.
// Source   Schuster 2012, as BERT uses it; details as the tokenizers library has them.
#pragma once

#include <memory>

#include "core/text/token_model.h"

namespace headscope::text {

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string prefix = "##";
  std::int64_t max_characters = 100;  // a longer word is unknown
};

// The "model" of tokenizer.json.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseWordPiece(const JsonObject& model,
                                                                       const std::stop_token& stop);

[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeWordPiece(Vocabulary vocabulary,
                                                                      WordPieceOptions options,
                                                                      const std::string& name,
                                                                      const std::stop_token& stop);

}  // namespace headscope::text
