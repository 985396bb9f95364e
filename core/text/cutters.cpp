#include "core/text/cutters.h"

#include <optional>
#include <utility>

#include <unicode/uscript.h>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

using Ranges = Result<std::vector<ByteRange>>;

// Splits where the kind of character changes; characters of kind 0 are dropped, each character of a
// negative kind is a piece of its own.
template <typename KindOf>
std::vector<ByteRange> CutByKind(std::string_view text, const KindOf& kind_of) {
  std::vector<ByteRange> ranges;
  int kind = 0;
  for (const auto& [begin, end, character] : Characters(text)) {
    const int now = kind_of(character);
    if (now > 0 && now == kind) {
      ranges.back().end = end;
    } else if (now != 0) {
      ranges.push_back({begin, end});
    }
    kind = now;
  }
  return ranges;
}

// Returns empty for a character without a script of its own.
std::optional<UScriptCode> ScriptOf(char32_t character) {
  constexpr char32_t kLongVowelSign = 0x30FC;
  if (character == U' ') {
    return std::nullopt;
  }
  if (character == kLongVowelSign) {
    return USCRIPT_HAN;
  }
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(character), &error);
  if (U_FAILURE(error) || script == USCRIPT_UNKNOWN) {
    return std::nullopt;
  }
  return script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ? USCRIPT_HAN : script;
}

}  // namespace

Ranges CutWords(std::string_view text) {
  return CutByKind(text, [](char32_t character) {
    return IsWordCharacter(character) ? 1 : IsWhitespace(character) ? 0 : 2;
  });
}

Ranges CutBertWords(std::string_view text) {
  return CutByKind(text, [](char32_t character) {
    return IsWhitespace(character) ? 0 : IsPunctuation(character) ? -1 : 1;
  });
}

Ranges CutScripts(std::string_view text) {
  std::vector<ByteRange> ranges;
  std::optional<UScriptCode> last;
  for (const auto& [begin, end, character] : Characters(text)) {
    const std::optional<UScriptCode> script = ScriptOf(character);
    if (script && script != last) {
      ranges.push_back({begin, end});
    } else if (!ranges.empty()) {
      ranges.back().end = end;  // characters without a script at the very start are dropped
    }
    if (script) {
      last = script;
    }
  }
  return ranges;
}

Cutter AtMatches(Pattern pattern, SplitBehavior behavior, bool invert) {
  return [pattern = std::move(pattern), behavior, invert](std::string_view text) -> Ranges {
    HEADSCOPE_TRY(const auto sections, FindSections(pattern, text, invert));
    return Split(sections, behavior);
  };
}

Cutter OfLength(std::size_t num_characters) {
  return [num_characters](std::string_view text) -> Ranges {
    std::vector<ByteRange> ranges;
    for (std::size_t next = 0; next < text.size();) {
      const std::size_t begin = next;
      for (std::size_t i = 0; i < num_characters && next < text.size(); ++i) {
        NextCharacter(text, next);
      }
      ranges.push_back({begin, next});
    }
    return ranges;
  };
}

}  // namespace headscope::text
