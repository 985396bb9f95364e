// SentencePiece's compiled table of replacements: a double-array trie of what is replaced, and the
// texts that replace it, each ended by a zero byte.
//
// Shapes   u32 size of the trie in bytes, the trie's u32 units, the texts; little-endian.
// Units    byte lengths of the text searched; a match never ends inside a character if the table is
//          honest, and at a character's end in any case.
// Errors   kFormat: sizes that do not fit, texts that are no UTF-8.
// Threads  immutable; any thread searches.
// Source   the darts-clone double array; every index is checked against the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope::text {

class Charsmap {
 public:
  // How many bytes give way, and to what.
  struct Match {
    std::size_t length = 0;
    std::string_view replacement;
  };

  // Replaces nothing.
  Charsmap() = default;
  // No bytes at all give a table that replaces nothing; `name` stands in messages.
  [[nodiscard]] static Result<Charsmap> Parse(std::string_view bytes, const std::string& name);
  // As tokenizer.json has it.
  [[nodiscard]] static Result<Charsmap> ParseBase64(std::string_view text, const std::string& name);

  // The match of what stands at the beginning of the text.
  [[nodiscard]] std::optional<Match> Shortest(std::string_view text) const;
  [[nodiscard]] std::optional<Match> Longest(std::string_view text) const;

 private:
  template <typename Visit>
  void ForEachMatch(std::string_view text, const Visit& visit) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace headscope::text
