// Converts pieces of a vocabulary to the bytes they stand for and to readable text.
//
// Errors   none: unreadable text is shown as codes.
#pragma once

#include <string>
#include <string_view>

#include "core/text/token_model.h"

namespace headscope::text {

// How a tokenizer writes its pieces.
struct PieceStyle {
  bool byte_characters = false;  // pieces use the alphabet of ByteCharacters()
  std::string blank_marker;      // "▁", or empty
  PieceMarkers markers;
};

// Whether a piece stands for one byte of text that the vocabulary lacks: "<0xE2>".
[[nodiscard]] bool IsFallbackByte(std::string_view piece);

// "Ġthe" and "▁the" become " the", "<0xE2>" becomes one byte; word prefixes and suffixes are
// removed.
[[nodiscard]] std::string BytesOf(std::string_view piece, const PieceStyle& style);

// Drops one leading space if anything readable follows. Other spaces become "␣", newlines "⏎", tabs
// "⇥", bytes of a broken character "⟨E2 80⟩", invisible characters "⟨U+200D⟩"; a combining mark
// alone is put on "◌". Never returns an empty text.
[[nodiscard]] std::string Display(std::string_view bytes);

}  // namespace headscope::text
