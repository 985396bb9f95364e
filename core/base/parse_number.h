// Reads a number that is the whole of a text.
//
// Errors   none: returns nothing for another text, and for a number that its type does not hold.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace headscope {

// `format` is the base of a whole number, or a std::chars_format.
template <typename Number, typename... Format>
[[nodiscard]] std::optional<Number> ParseAs(std::string_view text, Format... format) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format...);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace headscope
