// A model of pieces whose ids come from another vocabulary: Marian splits texts with a
// SentencePiece model and numbers the pieces by a vocab.json.
//
// Errors   kFormat: the vocabulary lacks the unknown piece.
// Threads  as TokenModel.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/text/token_model.h"

namespace headscope::text {

// Pieces missing from `vocabulary` become `unknown`.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeRenumberedModel(
    std::unique_ptr<const TokenModel> pieces,
    Vocabulary vocabulary,
    const std::string& unknown,
    const std::string& name);

}  // namespace headscope::text
