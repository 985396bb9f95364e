// Byte-pair encoding: characters joined two by two, the earliest learnt pair first.
//
// Errors   parsing: kFormat (a merge of unknown pieces, in neither notation), kUnsupported
//          (dropout), kCancelled. Tokenize: kCancelled; kInput if a character is unknown and so is
//          the unknown token.
// Threads  as TokenModel.
// Cost     n log n for a piece of n characters; pieces met before are remembered.
// Source   Sennrich 2016; details as the tokenizers library has them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/text/token_model.h"

namespace headscope::text {

// The "model" of tokenizer.json.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseBpe(const JsonObject& model,
                                                                 const std::stop_token& stop);

// Byte-level BPE from pieces and the lines of merges ("a b"; empty ones and "#version" do not
// count); `name` is that of the file of merges.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeBpe(
    Vocabulary vocabulary,
    std::span<const std::string_view> merges,
    bool ignore_merges,
    const std::string& name,
    const std::stop_token& stop);

}  // namespace headscope::text
