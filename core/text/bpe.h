// Byte-pair encoding: joins characters pair by pair, the earliest learnt pair first.
//
// Errors   parsing: kFormat (a merge of unknown pieces, or in neither notation), kUnsupported
//          (dropout), kCancelled. Tokenize: kCancelled; kInput if a character is unknown and there
//          is no unknown token.
// Threads  as TokenModel.
// Cost     n log n for a piece of n characters; results are cached per piece.
// Source   Sennrich 2016; details as in the tokenizers library.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/text/token_model.h"

namespace headscope::text {

// Reads the "model" of a tokenizer.json.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> ParseBpe(const JsonObject& model,
                                                                 const std::stop_token& stop);

struct BpeRule {
  bool ignore_merges = false;  // a piece in the vocabulary stays whole
  bool byte_fallback = false;  // characters that are no piece are spelt by pieces like "<0x0A>"
};

// Makes BPE from pieces and the lines of a merges file ("a b"; empty lines and
// "#version" are skipped); `name` is the merges file.
[[nodiscard]] Result<std::unique_ptr<const TokenModel>> MakeBpe(
    Vocabulary vocabulary,
    std::span<const std::string_view> merges,
    BpeRule rule,
    const std::string& name,
    const std::stop_token& stop);

}  // namespace headscope::text
