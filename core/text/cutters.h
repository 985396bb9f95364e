// Ways to cut a text that change no byte of it.
//
// Units    byte ranges of the text, in order and never empty; what lies between them goes.
// Errors   those of the pattern, where there is one.
// Threads  any.
// Source   as the tokenizers library does it.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/split.h"

namespace headscope::text {

using Cutter = std::function<Result<std::vector<ByteRange>>(std::string_view)>;

// Cuts into words, and between them runs of what is neither word nor whitespace.
[[nodiscard]] Result<std::vector<ByteRange>> CutWords(std::string_view text);

// Cuts at whitespace, and around each sign of punctuation.
[[nodiscard]] Result<std::vector<ByteRange>> CutBertWords(std::string_view text);

// Cuts where one script gives way to another; Hiragana and Katakana count as Han.
[[nodiscard]] Result<std::vector<ByteRange>> CutScripts(std::string_view text);

// Cuts at matches of a pattern.
[[nodiscard]] Cutter AtMatches(Pattern pattern, SplitBehavior behavior, bool invert);

// Cuts into pieces of so many characters each.
[[nodiscard]] Cutter OfLength(std::size_t num_characters);

}  // namespace headscope::text
