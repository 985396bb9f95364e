// Which tokens make up one word.
//
// A new word starts: after a special token; where whitespace stands before a token or begins it;
// where letters, digits and underscores give way to punctuation and symbols, or these to those. A
// token that is one blank belongs to the word after it; other whitespace is a word of its own.
// Letters after an apostrophe that stands right after letters stay with the apostrophe ("'", "s").
// A token that begins inside a character, or with a combining mark or joiner, goes with the token
// before.
//
// Units    tokens' begin and end are bytes of `text`.
// Errors   none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/text/tokenizer.h"

namespace headscope::text {

// Sets Token::word, counting from `first_word`, and returns the next free index. `text` may hold
// broken characters.
std::int32_t AssignWords(std::string_view text, std::span<Token> tokens, std::int32_t first_word);

}  // namespace headscope::text
