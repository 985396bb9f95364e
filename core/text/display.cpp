#include "core/text/display.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/text/byte_level.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

// Returns the byte of a piece like "<0xE2>".
std::optional<char> FallbackByte(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x")) {
    return std::nullopt;
  }
  const auto byte = ParseAs<unsigned char>(piece.substr(3, 2), 16);
  return byte && piece == fmt::format("<0x{:02X}>", *byte) ? std::optional(static_cast<char>(*byte))
                                                           : std::nullopt;
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool IsAllBlank(std::string_view bytes) {
  return std::ranges::all_of(Characters(bytes), IsWhitespace, &Character::code);
}

bool HasShape(std::string_view bytes) {
  return std::ranges::any_of(Characters(bytes), [](const Character& character) {
    return character.code != kBadCharacter && !IsInvisible(character.code);
  });
}

// Format characters shape the text around them, so they stay where there is any; but those that
// change the direction of writing would disorder the labels next to them.
bool MustBeSpelt(char32_t character, bool has_shape) {
  if (!IsInvisible(character)) {
    return false;
  }
  constexpr char32_t kZeroWidthNonJoiner = 0x200C;
  constexpr char32_t kZeroWidthJoiner = 0x200D;
  const bool is_shaping = character == kZeroWidthJoiner || character == kZeroWidthNonJoiner ||
                          IsMark(character) || character >= 0xE0000;
  return !(has_shape && is_shaping);
}

}  // namespace

bool IsFallbackByte(std::string_view piece) {
  return FallbackByte(piece).has_value();
}

std::string BytesOf(std::string_view piece, const PieceStyle& style) {
  if (style.byte_characters) {
    return BytesOfPiece(piece).value_or(std::string(piece));
  }
  if (style.markers.byte_fallback) {
    if (const std::optional<char> byte = FallbackByte(piece)) {
      return {*byte};
    }
  }
  const std::string& prefix = style.markers.continuation_prefix;
  if (!prefix.empty() && piece.starts_with(prefix)) {
    piece.remove_prefix(prefix.size());
  }
  for (const std::string* suffix : {&style.markers.word_suffix, &style.markers.unfinished_suffix}) {
    if (!suffix->empty() && piece.ends_with(*suffix)) {
      piece.remove_suffix(suffix->size());
    }
  }
  std::string bytes(piece);
  if (!style.blank_marker.empty()) {
    ReplaceAll(bytes, style.blank_marker, " ");
  }
  return bytes;
}

std::string Display(std::string_view bytes) {
  if (bytes.empty()) {
    return "∅";
  }
  if (bytes.starts_with(' ') && !IsAllBlank(bytes)) {
    bytes.remove_prefix(1);
  }
  const bool has_shape = HasShape(bytes);
  std::string result;
  std::string broken;
  const auto close_broken = [&] {
    if (!broken.empty()) {
      result += "⟨" + broken + "⟩";
      broken.clear();
    }
  };
  for (const auto& [begin, end, character] : Characters(bytes)) {
    if (character == kBadCharacter) {
      broken += fmt::format(
          "{}{:02X}", broken.empty() ? "" : " ", static_cast<unsigned char>(bytes[begin]));
      continue;
    }
    close_broken();
    if (character == U' ') {
      result += "␣";
    } else if (character == U'\n') {
      result += "⏎";
    } else if (character == U'\t') {
      result += "⇥";
    } else if (MustBeSpelt(character, has_shape)) {
      result += fmt::format("⟨U+{:04X}⟩", static_cast<std::uint32_t>(character));
    } else {
      if (result.empty() && IsMark(character)) {
        result = "◌";
      }
      result += bytes.substr(begin, end - begin);
    }
  }
  close_broken();
  return result;
}

}  // namespace headscope::text
