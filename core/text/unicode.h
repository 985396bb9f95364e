// Kinds of characters, by ICU.
//
// Errors   none.
#pragma once

#include "core/base/utf8.h"

namespace headscope::text {

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
