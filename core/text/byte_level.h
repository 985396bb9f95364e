// The alphabet of byte-level BPE: every byte has a printable character of its own ("Ġ" is the
// space).
//
// Source   Radford 2019 (GPT-2): printable Latin-1 stands for itself, the other 68 bytes get U+0100
//          and up.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

// Returns the character of each byte, as UTF-8.
[[nodiscard]] const std::array<std::string, 256>& ByteCharacters();

// Returns the bytes that a piece stands for; empty if it holds a character outside the alphabet.
[[nodiscard]] std::optional<std::string> BytesOfPiece(std::string_view piece);

}  // namespace headscope::text
