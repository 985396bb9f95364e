#include "core/io/text_place.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8.h"

namespace headscope {

TextPlace PlaceAt(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_end = before.rfind('\n');
  const std::string_view line =
      line_end == std::string_view::npos ? before : before.substr(line_end + 1);
  return {.line = 1 + std::ranges::count(before, '\n'),
          .column = 1 + std::ranges::count_if(line, StartsCharacter)};
}

std::string PlaceWords(TextPlace place) {
  return fmt::format("line {}, column {}", place.line, place.column);
}

}  // namespace headscope
