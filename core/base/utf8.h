// Finds where characters begin in UTF-8.
//
// Errors   none; invalid text gives places that may lie within what was meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace headscope {

[[nodiscard]] inline bool StartsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// Returns the start of the character that byte `at` belongs to.
[[nodiscard]] inline std::size_t CharacterStart(std::string_view text, std::size_t at) {
  constexpr std::size_t kMostSteps = 3;  // a character has at most four bytes
  const std::size_t least = at > kMostSteps ? at - kMostSteps : 0;
  while (at > least && at < text.size() && !StartsCharacter(text[at])) {
    --at;
  }
  return at;
}

}  // namespace headscope
