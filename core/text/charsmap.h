// SentencePiece's compiled table of replacements: a double-array trie of the replaced texts,
// followed by their replacements, each ended by a zero byte.
//
// Shapes   u32 size of the trie in bytes, the trie's u32 units, then the texts; little-endian.
// Units    byte lengths of the searched text; a match always ends at the end of a character, even
//          if the table is malicious.
// Errors   kFormat: sizes that do not fit, texts that are not UTF-8.
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
  // How many bytes are replaced, and by what.
  struct Match {
    std::size_t length = 0;
    std::string_view replacement;
  };

  // An empty table replaces nothing.
  Charsmap() = default;
  // Empty input gives a table that replaces nothing; messages call it `name`.
  [[nodiscard]] static Result<Charsmap> Parse(std::string_view bytes, const std::string& name);
  // Reads the form used in tokenizer.json.
  [[nodiscard]] static Result<Charsmap> ParseBase64(std::string_view text, const std::string& name);

  // Returns a match at the beginning of the text.
  [[nodiscard]] std::optional<Match> Shortest(std::string_view text) const;
  [[nodiscard]] std::optional<Match> Longest(std::string_view text) const;

 private:
  template <typename Visit>
  void ForEachMatch(std::string_view text, const Visit& visit) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace headscope::text
