// Groups tokens into words.
//
// A new word starts after a special token; where whitespace comes before a token or begins it; and
// between letters, digits or underscores on one side and punctuation or symbols on the other. A
// token that is one space belongs to the next word; other whitespace is a word of its own. Letters
// after an apostrophe that directly follows letters stay with the apostrophe ("'", "s"). A token
// that begins inside a character, or with a combining mark or joiner, belongs to the previous
// token's word.
//
// Units    tokens' begin and end are bytes of `text`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/text/token_model.h"
#include "core/text/tokenizer.h"

namespace headscope::text {

// Sets Token::word, counting from `first_word`, and returns the next free index. `text` may contain
// broken characters.
std::int32_t AssignWords(std::string_view text, std::span<Token> tokens, std::int32_t first_word);

// Spells tokens one after the other, with spaces in place of markers; their begin and end then refer
// to that text. `bytes` is what each token stands for.
std::string SpellTokens(std::span<Token> tokens,
                        std::span<const std::string> bytes,
                        const PieceMarkers& markers);

// Sets Token::word of tokens without an original text, by the text that they spell.
void AssignSpeltWords(std::span<Token> tokens,
                      std::span<const std::string> bytes,
                      const PieceMarkers& markers);

}  // namespace headscope::text

namespace headscope {

// Whether a token continues the word of the previous token. Never true for a token that begins with
// a character of a script without blanks between words (Han, kana, Thai, ...), where word ends are
// unknown.
[[nodiscard]] bool ContinuesWord(const Encoding& encoding, std::size_t index);

// A token's name for labels in the window and in figures: its display text, after "·" if it
// continues a word: "sa", "·il", "·or".
[[nodiscard]] std::string TokenName(const Encoding& encoding, std::size_t index);

}  // namespace headscope
