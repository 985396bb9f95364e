// Byte-pair encoding: characters joined two by two, the earliest learnt pair first.
//
// Errors   parsing: kFormat (a merge of unknown pieces, in neither notation), kUnsupported
// (dropout). Tokenize: kCancelled; kInput if a character is unknown and so is the unknown token.
// Threads  as TokenModel.
// Cost     n log n for a piece of n characters; pieces met before are remembered.
// Source   Sennrich 2016; details as the tokenizers library has them.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/text/token_model.h"

namespace headscope::text {

// The "model" of tokenizer.json.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseBpe(const JsonObject& model);

// vocab.json and the text of merges.txt; `name` of the latter.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeBpe(const JsonObject& vocab,
                                                                std::string_view merges,
                                                                const std::string& name);

}  // namespace headscope::text
