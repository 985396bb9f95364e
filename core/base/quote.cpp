#include "core/base/quote.h"

#include <cstddef>

#include <fmt/format.h>

namespace headscope {

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMaxBytes = 80;
  const bool is_long = text.size() > kMaxBytes;
  if (is_long) {
    std::size_t end = kMaxBytes;
    // Never cut inside a UTF-8 sequence (at most three bytes back).
    for (int step = 0; step < 3 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
         ++step) {
      --end;
    }
    text = text.substr(0, end);
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
