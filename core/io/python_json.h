// JSON as Python writes it, with numbers that JSON does not allow or 64 bits cannot hold.
//
// Errors   none: text that is not JSON for another reason is left as it is.
// Cost     one pass, and a copy.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

// A string that begins with this mark stands for a number, whose text follows.
inline constexpr std::string_view kNumberMark("\0number:", 8);

// Replaces each such number (NaN, Infinity, -Infinity, integers beyond 64 bits, fractions beyond a
// double) by a marked string, and half a surrogate pair by U+FFFD; returns empty if there is none.
[[nodiscard]] std::optional<std::string> MarkOddNumbers(std::string_view json);

}  // namespace headscope
