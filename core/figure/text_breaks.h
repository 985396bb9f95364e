// Finds where a caret may stand in a text and where its words begin and end, by Unicode's rules as
// implemented in Pango.
//
// Units    byte offsets; the text is valid UTF-8 (ValidUtf8 makes it so).
// Errors   none.
// Cost     reads a few kilobytes around the place, however long the text is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope {

struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

// Places lie between graphemes: an emoji of several code points, or a letter with its marks, is one
// grapheme.
[[nodiscard]] std::size_t PlaceBefore(std::string_view text, std::size_t at);  // < at, or 0
[[nodiscard]] std::size_t PlaceAfter(std::string_view text, std::size_t at);   // > at, or the end
[[nodiscard]] bool IsPlace(std::string_view text, std::size_t at);
// Returns `at` or the next place after it.
[[nodiscard]] std::size_t PlaceFrom(std::string_view text, std::size_t at);

[[nodiscard]] std::size_t WordStartBefore(std::string_view text, std::size_t at);
[[nodiscard]] std::size_t WordEndAfter(std::string_view text, std::size_t at);
// Returns the word that contains `at` or ends there, otherwise the grapheme after it.
[[nodiscard]] TextSpan WordAt(std::string_view text, std::size_t at);

struct ValidText {
  std::string text;
  std::size_t replaced = 0;  // bytes that were not UTF-8, each now U+FFFD
};
[[nodiscard]] ValidText ValidUtf8(std::string_view bytes);

}  // namespace headscope
