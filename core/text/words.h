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

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/text/tokenizer.h"

namespace headscope::text {

// Sets Token::word, counting from `first_word`, and returns the next free index. `text` may hold
// broken characters.
std::int32_t AssignWords(std::string_view text, std::span<Token> tokens, std::int32_t first_word);

}  // namespace headscope::text

namespace headscope {

// Whether a token is a further piece of the word that the token before it began. Never where it
// begins with a character of a script that sets no blanks between words (Han, kana, Thai, ...):
// nobody knows where a word ends there.
[[nodiscard]] bool ContinuesWord(const Encoding& encoding, std::size_t index);

// A token as labels show it, in the window and in figures: its display, after "·" where it goes on
// with a word: "sa", "·il", "·or".
[[nodiscard]] std::string TokenName(const Encoding& encoding, std::size_t index);

}  // namespace headscope
