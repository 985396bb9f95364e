// Ways to split a text without changing any byte of it.
//
// Units    byte ranges of the text, in order and never empty; text between them is dropped.
// Errors   the pattern's, where there is one.
// Source   the tokenizers library.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/split.h"

namespace headscope::text {

using Cutter = std::function<Result<std::vector<ByteRange>>(std::string_view)>;

// Splits into words, and runs of characters that are neither word nor whitespace.
[[nodiscard]] Result<std::vector<ByteRange>> CutWords(std::string_view text);

// Splits at whitespace, and around each punctuation mark.
[[nodiscard]] Result<std::vector<ByteRange>> CutBertWords(std::string_view text);

// Splits where the script changes; Hiragana and Katakana count as Han.
[[nodiscard]] Result<std::vector<ByteRange>> CutScripts(std::string_view text);

// Splits at matches of a pattern.
[[nodiscard]] Cutter AtMatches(Pattern pattern, SplitBehavior behavior, bool invert);

// Splits into pieces of `num_characters` each.
[[nodiscard]] Cutter OfLength(std::size_t num_characters);

}  // namespace headscope::text
