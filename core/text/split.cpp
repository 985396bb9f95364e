#include "core/text/split.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

struct Finder {
  std::string_view text;

  Result<std::vector<ByteRange>> operator()(const std::string& needle) const {
    std::vector<ByteRange> ranges;
    if (needle.empty()) {
      return ranges;
    }
    for (std::size_t at = text.find(needle); at != std::string_view::npos;
         at = text.find(needle, at + needle.size())) {
      ranges.push_back({at, at + needle.size()});
    }
    return ranges;
  }

  Result<std::vector<ByteRange>> operator()(const Regex& regex) const {
    return regex.FindAll(text);
  }

  Result<std::vector<ByteRange>> operator()(bool (*is_match)(char32_t)) const {
    std::vector<ByteRange> ranges;
    for (const auto& [begin, end, character] : Characters(text)) {
      if (is_match(character)) {
        ranges.push_back({begin, end});
      }
    }
    return ranges;
  }
};

// Whether this section joins the previous piece.
bool JoinsPrevious(SplitBehavior behavior, bool is_match, bool previous_is_match) {
  switch (behavior) {
    case SplitBehavior::kContiguous:
      return is_match == previous_is_match;
    case SplitBehavior::kMergedWithPrevious:
      return is_match && !previous_is_match;
    case SplitBehavior::kMergedWithNext:
      return !is_match && previous_is_match;
    case SplitBehavior::kRemoved:
    case SplitBehavior::kIsolated:
      return false;
  }
  return false;
}

}  // namespace

Result<std::vector<ByteRange>> FindMatches(const Pattern& pattern, std::string_view text) {
  return std::visit(Finder{text}, pattern);
}

Result<std::vector<Section>> FindSections(const Pattern& pattern,
                                          std::string_view text,
                                          bool invert) {
  HEADSCOPE_TRY(const auto matches, FindMatches(pattern, text));
  std::vector<Section> sections;
  std::size_t position = 0;
  for (const ByteRange& match : matches) {
    if (position < match.begin) {
      sections.push_back({{position, match.begin}, invert});
    }
    sections.push_back({match, !invert});
    position = match.end;
  }
  if (position < text.size()) {
    sections.push_back({{position, text.size()}, invert});
  }
  return sections;
}

std::vector<ByteRange> Split(const std::vector<Section>& sections, SplitBehavior behavior) {
  std::vector<ByteRange> pieces;
  bool previous_is_match = false;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    if (behavior == SplitBehavior::kRemoved && section.is_match) {
      continue;
    }
    if (i > 0 && !pieces.empty() && JoinsPrevious(behavior, section.is_match, previous_is_match)) {
      pieces.back().end = section.range.end;
    } else {
      pieces.push_back(section.range);
    }
    previous_is_match = section.is_match;
  }
  std::erase_if(pieces, [](const ByteRange& piece) { return piece.begin == piece.end; });
  return pieces;
}

}  // namespace headscope::text
