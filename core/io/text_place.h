// A place in a text, counted as editors do.
//
// Units    lines and columns from 1, columns in characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

struct TextPlace {
  std::int64_t line = 1;
  std::int64_t column = 1;
  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

// Returns the place of a byte in a UTF-8 text, or of the text's end if it lies beyond.
[[nodiscard]] TextPlace PlaceAt(std::string_view text, std::size_t byte);
[[nodiscard]] std::string PlaceWords(TextPlace place);  // "line 3, column 7"

}  // namespace headscope
