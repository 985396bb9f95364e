// The unigram model: of all ways to cut a text into pieces, the one with the best sum of scores.
//
// Errors   parsing: kFormat, kCancelled. Tokenize: kCancelled; kInput for an unknown character
//          where there is no unknown piece.
// Threads  as TokenModel.
// Cost     linear in the text, times the longest piece; 16 bytes for each byte of it.
// Source   Kudo 2018; details as the tokenizers library, or SentencePiece itself, has them.
#pragma once

#include <memory>

#include "core/text/scored_pieces.h"
#include "core/text/token_model.h"

namespace headscope::text {

// The "model" of tokenizer.json, as the tokenizers library runs it.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseUnigram(const JsonObject& model,
                                                                     const std::stop_token& stop);

// As SentencePiece runs it: sums in float32, only pieces that stand in texts.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeSentenceUnigram(
    const ScoredPieces& pieces, const std::stop_token& stop);

}  // namespace headscope::text
