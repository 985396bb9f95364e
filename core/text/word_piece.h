// WordPiece: splits a word from the left into the longest pieces of the vocabulary, where all but
// the first have a prefix ("##"). A word that cannot be split completely becomes the unknown token.
//
// Errors   parsing: kFormat, kCancelled. Tokenize: kInput, for an unknown word if there is no
//          unknown token.
// Threads  as TokenModel.
// Cost     the length of the word times the longest piece.
// Source   Schuster 2012, as used by BERT; details as in the tokenizers library.
#pragma once

#include <memory>

#include "core/text/token_model.h"

namespace headscope::text {

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string prefix = "##";
  std::int64_t max_characters = 100;  // a longer word is unknown
};

// Reads the "model" of a tokenizer.json.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseWordPiece(const JsonObject& model,
                                                                       const std::stop_token& stop);

[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeWordPiece(Vocabulary vocabulary,
                                                                      WordPieceOptions options,
                                                                      const std::string& name,
                                                                      const std::stop_token& stop);

}  // namespace headscope::text
