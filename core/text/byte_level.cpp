#include "core/text/byte_level.h"

#include <cstddef>
#include <cstdint>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

constexpr std::size_t kNumBytes = 256;
constexpr std::size_t kAlphabetEnd = 0x144;  // one past the character of the last byte

bool StandsForItself(std::size_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
}

struct Alphabet {
  std::array<std::string, kNumBytes> characters;
  std::array<std::int16_t, kAlphabetEnd> bytes{};  // -1: no byte has this character
};

Alphabet MakeAlphabet() {
  Alphabet alphabet;
  alphabet.bytes.fill(-1);
  char32_t next = kNumBytes;
  for (std::size_t byte = 0; byte < kNumBytes; ++byte) {
    const char32_t character = StandsForItself(byte) ? static_cast<char32_t>(byte) : next++;
    AppendCharacter(alphabet.characters[byte], character);
    alphabet.bytes[character] = static_cast<std::int16_t>(byte);
  }
  return alphabet;
}

const Alphabet& TheAlphabet() {
  static const Alphabet kAlphabet = MakeAlphabet();
  return kAlphabet;
}

}  // namespace

const std::array<std::string, 256>& ByteCharacters() {
  return TheAlphabet().characters;
}

std::optional<std::string> BytesOfPiece(std::string_view piece) {
  const Alphabet& alphabet = TheAlphabet();
  std::string bytes;
  for (const auto& [begin, end, character] : Characters(piece)) {
    if (character >= kAlphabetEnd || alphabet.bytes[character] < 0) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>(alphabet.bytes[character]));
  }
  return bytes;
}

}  // namespace headscope::text
