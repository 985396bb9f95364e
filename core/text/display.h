// Pieces of a vocabulary as the bytes they stand for and as people can read them.
//
// Errors   none: what cannot be read is spelt.
// Threads  any.
#pragma once

#include <string>
#include <string_view>

#include "core/text/token_model.h"

namespace headscope::text {

// How a tokenizer writes its pieces.
struct PieceStyle {
  bool byte_characters = false;  // in the alphabet of ByteCharacters()
  std::string blank_marker;      // "▁"; empty: none
  PieceMarkers markers;
};

// Whether a piece is one byte of what the vocabulary cannot say: "<0xE2>".
[[nodiscard]] bool IsFallbackByte(std::string_view piece);

// "Ġthe" and "▁the" are " the", "<0xE2>" is one byte; prefixes and suffixes of words are gone.
[[nodiscard]] std::string BytesOf(std::string_view piece, const PieceStyle& style);

// One leading blank is gone if anything readable follows; other blanks are "␣", newlines "⏎", tabs
// "⇥"; bytes of a broken character "⟨E2 80⟩"; what has no shape "⟨U+200D⟩"; a mark alone stands on
// "◌". Never empty.
[[nodiscard]] std::string Display(std::string_view bytes);

}  // namespace headscope::text
