// A text with one more token at its end: so that a text can go on with a word that the model says.
//
// Threads  any.
// Cost     the text is encoded once for each token; nothing is tried for texts above 4,000 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace headscope {

// Returns for each token the text that the model's tokenizer cuts into exactly `ids` and that token. "":
// there is none that was found, and the text goes on as ids alone.
[[nodiscard]] std::vector<std::string> TextsWith(const Model& model,
                                                 const std::string& text,
                                                 std::span<const std::int32_t> ids,
                                                 std::span<const std::int32_t> tokens);

}  // namespace headscope
