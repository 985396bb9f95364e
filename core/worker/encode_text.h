// The text of an input as tokens, all of them or the first ones only.
//
// Errors   kInput (nothing left of a text that is cut, a pair to be cut) and what the
//          tokenizer returns.
// Threads  any.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "core/worker/model_input.h"

namespace headscope {

// `input.ids` as they are, else `input.text`. Where `input.first_tokens` cuts, the tokens that the
// tokenizer puts around a text stay, and Encoding::cut_from says how many tokens there were.
[[nodiscard]] Result<Encoding> EncodeText(const Tokenizer& tokenizer,
                                          const InputText& input,
                                          const std::stop_token& stop);

// The same of ids without a tokenizer.
[[nodiscard]] Encoding NumberIds(const InputText& input);

}  // namespace headscope
