// Splits a text where a pattern matches, and decides what becomes of the matches.
//
// Units    byte ranges of the text, in order.
// Errors   as Regex.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/text/regex.h"

namespace headscope::text {

enum class SplitBehavior {
  kRemoved,             // matches are dropped
  kIsolated,            // each match is a piece
  kMergedWithPrevious,  // a match ends the previous piece
  kMergedWithNext,      // a match begins the next piece
  kContiguous,          // adjacent matches form one piece
};

// A part of a text: a match, or the text between two matches.
struct Section {
  ByteRange range;
  bool is_match = false;
};

// A literal string, a regular expression, or a kind of character (each such character is a match).
using Pattern = std::variant<std::string, Regex, bool (*)(char32_t)>;

// Returns only the matches, from left to right.
[[nodiscard]] Result<std::vector<ByteRange>> FindMatches(const Pattern& pattern,
                                                         std::string_view text);

// Returns the matches and the text between them, covering the text. `invert` swaps the two.
[[nodiscard]] Result<std::vector<Section>> FindSections(const Pattern& pattern,
                                                        std::string_view text,
                                                        bool invert);

// Returns the pieces to keep; none is empty.
[[nodiscard]] std::vector<ByteRange> Split(const std::vector<Section>& sections,
                                           SplitBehavior behavior);

}  // namespace headscope::text
