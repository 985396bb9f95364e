// Cutting a text where a pattern matches, and what becomes of the matches.
//
// Units    byte ranges of the text, in order.
// Errors   those of Regex.
// Threads  any.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/text/regex.h"

namespace headscope::text {

enum class SplitBehavior {
  kRemoved,             // matches go
  kIsolated,            // each match is a piece
  kMergedWithPrevious,  // a match ends the piece before it
  kMergedWithNext,      // a match begins the piece after it
  kContiguous,          // neighbouring matches are one piece
};

// A part of a text: a match, or what lies between two.
struct Section {
  ByteRange range;
  bool is_match = false;
};

// A string as it stands, an expression, or a kind of character (each one a match).
using Pattern = std::variant<std::string, Regex, bool (*)(char32_t)>;

// Matches alone, from left to right.
[[nodiscard]] Result<std::vector<ByteRange>> FindMatches(const Pattern& pattern,
                                                         std::string_view text);

// Matches and what lies between them, covering the text. `invert` swaps the two.
[[nodiscard]] Result<std::vector<Section>> FindSections(const Pattern& pattern,
                                                        std::string_view text,
                                                        bool invert);

// The pieces to keep; none is empty.
[[nodiscard]] std::vector<ByteRange> Split(const std::vector<Section>& sections,
                                           SplitBehavior behavior);

}  // namespace headscope::text
