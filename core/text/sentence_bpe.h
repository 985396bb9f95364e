// Byte-pair encoding as in SentencePiece: two neighbours join if their joined text is a piece, the
// piece with the best score first. There is no list of merges.
//
// Errors   making: kFormat, kCancelled. Tokenize: kCancelled; kInput for an unknown character if
//          there is no unknown piece.
// Threads  as TokenModel.
// Cost     n log n for n characters.
#pragma once

#include <memory>

#include "core/text/scored_pieces.h"
#include "core/text/token_model.h"

namespace headscope::text {

[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeSentenceBpe(
    const ScoredPieces& pieces, const std::stop_token& stop);

}  // namespace headscope::text
