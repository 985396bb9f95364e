// Names tokens in files, and finds the token that a user means.
//
// Errors   kInput: not one token of this vocabulary; the message gives the pieces.
// Threads  any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/forward.h"
#include "core/model/model.h"

namespace headscope {

// The tokenizer of the words that a model says: its decoder's, if it has one. Null: none.
[[nodiscard]] const Tokenizer* TokenizerOfWords(const Model& model);

// The token as in the vocabulary; without a tokenizer, its number.
[[nodiscard]] std::string TokenText(const Tokenizer* tokenizer, std::int32_t id);
// The same as people read it.
[[nodiscard]] std::string TokenDisplay(const Tokenizer* tokenizer, std::int32_t id);

// Of two equally long texts, as people read them: "Mary / John" where they have other tokens.
[[nodiscard]] std::vector<std::string> PositionNames(const Model& model,
                                                     std::span<const std::int32_t> one,
                                                     std::span<const std::int32_t> other);

// Reads " Mary", which must be one token, or "#5335".
[[nodiscard]] Result<std::int32_t> ReadToken(const Model& model, std::string_view text);

// The same as typed into a field, where a word stands for the one after a space, as most words of a
// text are: "Mary" is read as " Mary" where that is one token, else as it is; what
// begins with anything else than a letter or digit is always read as it is.
[[nodiscard]] Result<std::int32_t> ReadTypedToken(const Model& model, std::string_view text);

// What ReadTypedToken reads as this token: as people read it where that is enough, else its number.
[[nodiscard]] std::string TypedToken(const Model& model, std::int32_t id);

// kInput: both are the same token. `names`: what they are, "--id and --against".
[[nodiscard]] Status CheckTokensDiffer(const Model& model,
                                       std::int32_t one,
                                       std::int32_t other,
                                       std::string_view names);

// The token that masks a word; none: the tokenizer has none.
[[nodiscard]] std::optional<std::int32_t> MaskTokenOf(const Model& model);
// Masks the token at a row, which a masked model would read where it is to say it. Returns what stood
// there; none: nothing was masked.
std::optional<std::int32_t> MaskRow(const Model& model, std::int64_t row, ForwardInput* input);

}  // namespace headscope
