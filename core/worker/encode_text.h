// Turns the text of an input into tokens: all of them or only the first ones.
//
// Errors   kInput (nothing left of a shortened text, a pair to be shortened) and the tokenizer's
//          errors.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "core/worker/model_input.h"

namespace headscope {

// Uses `input.ids` as they are, otherwise `input.text`. If `input.first_tokens` shortens the text,
// the tokens that the tokenizer puts around it stay, and Encoding::cut_from is the original number
// of tokens.
[[nodiscard]] Result<Encoding> EncodeText(const Tokenizer& tokenizer,
                                          const InputText& input,
                                          const std::stop_token& stop);

// The same for ids without a tokenizer.
[[nodiscard]] Encoding NumberIds(const InputText& input);

}  // namespace headscope
