#include "core/base/quote.h"

#include <cstddef>

#include <fmt/format.h>

#include "core/base/utf8.h"

namespace headscope {

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMaxBytes = 80;
  const bool is_long = text.size() > kMaxBytes;
  if (is_long) {
    text = text.substr(0, CharacterStart(text, kMaxBytes));
  }
  std::string quoted = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '\n') {
      quoted += "\\n";
    } else if (byte < 0x20U || byte == 0x7FU) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
    } else {
      quoted += character;
    }
  }
  quoted += is_long ? "...\"" : "\"";
  return quoted;
}

}  // namespace headscope
