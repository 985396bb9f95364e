// JSON as Python writes it: numbers that JSON does not know, or that 64 bits do not hold.
//
// Errors   none: what is no JSON for another reason stays as it is.
// Threads  any.
// Cost     one pass, and a copy.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

// A string that begins so stands for a number; its text follows.
inline constexpr std::string_view kNumberMark("\0number:", 8);

// The text with a marked string in place of each such number (NaN, Infinity, -Infinity, integers
// beyond 64 bits, fractions beyond a double) and U+FFFD in place of half a surrogate pair; empty
// where it has none.
[[nodiscard]] std::optional<std::string> MarkOddNumbers(std::string_view json);

}  // namespace headscope
