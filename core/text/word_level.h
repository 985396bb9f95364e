// A model whose every piece is a whole word of the vocabulary, or the unknown token.
//
// Errors   parsing: kFormat, kCancelled. Tokenize: kInput, for an unknown word if there is no
//          unknown token.
// Threads  as TokenModel.
#pragma once

#include <memory>

#include "core/text/token_model.h"

namespace headscope::text {

[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseWordLevel(const JsonObject& model,
                                                                       const std::stop_token& stop);

}  // namespace headscope::text
