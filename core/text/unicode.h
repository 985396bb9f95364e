// Characters of UTF-8 and their kinds, by ICU.
//
// Units    byte positions in the text.
// Errors   none; functions that need valid UTF-8 say so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

// Represents a byte that is not part of a character.
inline constexpr char32_t kBadCharacter = 0xFFFFFFFF;

// Returns the character at `position` and moves past it: past one byte for kBadCharacter.
char32_t NextCharacter(std::string_view text, std::size_t& position);

// Returns the character that ends at `position` > 0, and moves to its start.
[[nodiscard]] char32_t PreviousCharacter(std::string_view text, std::size_t& position);

// Returns the position of the first byte that is not valid UTF-8.
[[nodiscard]] std::optional<std::size_t> FirstInvalidByte(std::string_view text);

void AppendCharacter(std::string& text, char32_t character);

[[nodiscard]] bool IsWhitespace(char32_t character);
// Categories P*, and ASCII symbols. This and the next two follow Unicode 8, like the tables of the
// tokenizers library.
[[nodiscard]] bool IsPunctuation(char32_t character);
[[nodiscard]] bool IsControl(char32_t character);         // categories Cc, Cf, Co
[[nodiscard]] bool IsNonspacingMark(char32_t character);  // category Mn
[[nodiscard]] bool IsNumber(char32_t character);          // categories N*
[[nodiscard]] bool IsWordCharacter(char32_t character);   // \w of Unicode TR18
[[nodiscard]] bool IsMark(char32_t character);            // categories M*
[[nodiscard]] bool IsInvisible(char32_t character);       // controls, format characters, odd blanks
[[nodiscard]] bool IsJoiner(char32_t character);          // belongs to the previous character

// Whether its script puts no blanks between words: Han, kana, Thai, Lao, Khmer, ...; emoji count,
// too.
[[nodiscard]] bool IsOfBlanklessScript(char32_t character);

}  // namespace headscope::text
