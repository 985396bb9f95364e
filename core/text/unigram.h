// The unigram model: of all ways to split a text into pieces, it takes the one with the best sum of
// scores.
//
// Errors   parsing: kFormat, kCancelled. Tokenize: kCancelled; kInput for an unknown character if
//          there is no unknown piece.
// Threads  as TokenModel.
// Cost     the length of the text times the longest piece; 16 bytes of memory per byte of text.
// Source   Kudo 2018; details as in the tokenizers library, or in SentencePiece itself.
#pragma once

#include <memory>

#include "core/text/scored_pieces.h"
#include "core/text/token_model.h"

namespace headscope::text {

// Reads the "model" of a tokenizer.json; it works as in the tokenizers library.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseUnigram(const JsonObject& model,
                                                                     const std::stop_token& stop);

// Works as in SentencePiece: sums in float32, and only pieces that can occur in a text.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeSentenceUnigram(
    const ScoredPieces& pieces, const std::stop_token& stop);

}  // namespace headscope::text
