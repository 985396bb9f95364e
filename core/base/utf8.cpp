#include "core/base/utf8.h"

#include <cstdint>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace headscope {
namespace {

// ICU's macros narrow without casts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"

// Returns the character at `index` and moves past it; negative if it is broken.
UChar32 DecodeNext(const char* text, std::int32_t& index, std::int32_t limit) {
  UChar32 character = 0;
  U8_NEXT(text, index, limit, character);
  return character;
}

// Returns the number of bytes, or 0 for an invalid character.
std::int32_t EncodeOne(UChar32 character, char* bytes) {
  std::int32_t length = 0;
  UBool failed = 0;
  U8_APPEND(bytes, length, U8_MAX_LENGTH, character, failed);
  return failed == 0 ? length : 0;
}

#pragma GCC diagnostic pop

}  // namespace

char32_t NextCharacter(std::string_view text, std::size_t& position) {
  const auto first = static_cast<unsigned char>(text[position]);
  if (first < 0x80U) {
    ++position;
    return first;
  }
  const char* start = text.data() + position;
  const std::size_t left = text.size() - position;
  const auto limit = static_cast<std::int32_t>(left < 4 ? left : 4);
  std::int32_t index = 0;
  const UChar32 character = DecodeNext(start, index, limit);
  if (character < 0) {
    ++position;
    return kBadCharacter;
  }
  position += static_cast<std::size_t>(index);
  return static_cast<char32_t>(character);
}

char32_t PreviousCharacter(std::string_view text, std::size_t& position) {
  const std::size_t end = position;
  const std::size_t start = CharacterStart(text, end - 1);
  std::size_t next = start;
  const char32_t character = NextCharacter(text.substr(0, end), next);
  position = next == end ? start : end - 1;
  return next == end ? character : kBadCharacter;
}

std::optional<std::size_t> FirstInvalidByte(std::string_view text) {
  for (const auto& [begin, end, code] : Characters(text)) {
    if (code == kBadCharacter) {
      return begin;
    }
  }
  return std::nullopt;
}

void AppendCharacter(std::string& text, char32_t character) {
  const UChar32 code = character == kBadCharacter ? 0xFFFD : static_cast<UChar32>(character);
  char bytes[U8_MAX_LENGTH];
  text.append(bytes, static_cast<std::size_t>(EncodeOne(code, bytes)));
}

bool IsWhitespace(char32_t character) {
  return u_isUWhiteSpace(static_cast<UChar32>(character)) != 0;
}

}  // namespace headscope
