// Characters of UTF-8 and what kind they are, by ICU.
//
// Units    byte positions in the text.
// Errors   none; where a text must be valid UTF-8, the function says so.
// Threads  any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

// What stands for a byte that is part of no character.
inline constexpr char32_t kBadCharacter = 0xFFFFFFFF;

// The character at `position`, which moves past it: past one byte where that is kBadCharacter.
char32_t NextCharacter(std::string_view text, std::size_t& position);

// The character that ends at `position` > 0, and where it starts.
[[nodiscard]] char32_t PreviousCharacter(std::string_view text, std::size_t& position);

// The byte where the text stops being UTF-8.
[[nodiscard]] std::optional<std::size_t> FirstInvalidByte(std::string_view text);

void AppendCharacter(std::string& text, char32_t character);

[[nodiscard]] bool IsWhitespace(char32_t character);
// Categories P*, and ASCII symbols. This and the next two are as of Unicode 8, whose tables the
// tokenizers library has.
[[nodiscard]] bool IsPunctuation(char32_t character);
[[nodiscard]] bool IsControl(char32_t character);         // categories Cc, Cf, Co
[[nodiscard]] bool IsNonspacingMark(char32_t character);  // category Mn
[[nodiscard]] bool IsNumber(char32_t character);          // categories N*
[[nodiscard]] bool IsWordCharacter(char32_t character);   // \w of Unicode TR18
[[nodiscard]] bool IsMark(char32_t character);            // categories M*
[[nodiscard]] bool IsInvisible(char32_t character);       // controls, format characters, odd blanks
[[nodiscard]] bool IsJoiner(char32_t character);          // belongs to what stands before it

// Whether it is of a script that sets no blanks between words: Han, kana, Thai, Lao, Khmer, ...;
// emoji count, too.
[[nodiscard]] bool IsOfBlanklessScript(char32_t character);

}  // namespace headscope::text
