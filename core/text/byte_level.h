// The alphabet of byte-level BPE: every byte has a printable character of its own ("Ġ" is the
// blank).
//
// Errors   none.
// Threads  any.
// Source   Radford 2019 (GPT-2): printable Latin-1 stands for itself, the other 68 bytes follow
//          from U+0100 on.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::text {

// The character of each byte, as UTF-8.
[[nodiscard]] const std::array<std::string, 256>& ByteCharacters();

// The bytes that a piece stands for; empty if it holds a character outside the alphabet.
[[nodiscard]] std::optional<std::string> BytesOfPiece(std::string_view piece);

}  // namespace headscope::text
