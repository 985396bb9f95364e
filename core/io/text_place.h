// Where something stands in a text, as editors count.
//
// Units    lines and columns from 1, columns in characters.
// Threads  any.
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

// Of a byte of a text in UTF-8; past its end: its end.
[[nodiscard]] TextPlace PlaceAt(std::string_view text, std::size_t byte);
[[nodiscard]] std::string PlaceWords(TextPlace place);  // "line 3, column 7"

}  // namespace headscope
