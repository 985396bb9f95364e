#include "core/text/character_normalizers.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <unicode/uchar.h>

#include "core/text/unicode.h"
#include "core/text/unicode_form.h"

namespace headscope::text {
namespace {

// Replaces each character for which `map(character, replacement)` returns true by the replacement,
// which is empty when `map` is called.
template <typename Map>
Status MapCharacters(AlignedText& text, const Map& map) {
  std::vector<Edit> edits;
  std::string replacement;
  for (const auto& [begin, end, character] : Characters(text.text())) {
    if (map(character, replacement)) {
      edits.push_back({begin, end, std::move(replacement)});
      replacement.clear();
    }
  }
  return text.Apply(edits);
}

bool Lower(char32_t character, std::string& replacement) {
  constexpr char32_t kDottedCapitalI = 0x130;  // the only one that becomes two characters
  const auto lower = static_cast<char32_t>(u_tolower(static_cast<UChar32>(character)));
  if (lower == character) {
    return false;
  }
  AppendCharacter(replacement, lower);
  if (character == kDottedCapitalI) {
    AppendCharacter(replacement, 0x307);
  }
  return true;
}

bool IsChinese(char32_t character) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kBlocks = {{{0x4E00, 0x9FFF},
                                                                     {0x3400, 0x4DBF},
                                                                     {0x20000, 0x2A6DF},
                                                                     {0x2A700, 0x2B73F},
                                                                     {0x2B740, 0x2B81F},
                                                                     {0x2B920, 0x2CEAF},
                                                                     {0xF900, 0xFAFF},
                                                                     {0x2F800, 0x2FA1F}}};
  return std::any_of(kBlocks.begin(), kBlocks.end(), [&](const auto& block) {
    return character >= block.first && character <= block.second;
  });
}

constexpr char32_t kReplacementCharacter = 0xFFFD;

bool CleanAsBert(const BertNormalization& options, char32_t character, std::string& replacement) {
  const bool is_break = character == U'\t' || character == U'\n' || character == U'\r';
  if (options.clean_text) {
    if (!is_break &&
        (character == 0 || character == kReplacementCharacter || IsControl(character))) {
      return true;
    }
    if (is_break || (character != U' ' && IsWhitespace(character))) {
      replacement = " ";
      return true;
    }
  }
  if (options.handle_chinese_chars && IsChinese(character)) {
    replacement = " ";
    AppendCharacter(replacement, character);
    replacement += ' ';
    return true;
  }
  return false;
}

bool CleanNmt(char32_t character, std::string& replacement) {
  const char32_t c = character;
  if ((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
      c == 0x9F) {
    return true;
  }
  if (c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
      (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
      c == kReplacementCharacter) {
    replacement = " ";
    return true;
  }
  return false;
}

}  // namespace

Status ToLowercase(AlignedText& text) {
  return MapCharacters(text, Lower);
}

Status DropMarks(AlignedText& text) {
  return MapCharacters(
      text, [](char32_t character, std::string& /*replacement*/) { return IsMark(character); });
}

Status CleanAsNmt(AlignedText& text) {
  return MapCharacters(text, CleanNmt);
}

Normalizer MakeBertNormalizer(const BertNormalization& options) {
  return {[options](AlignedText& text) -> Status {
    HEADSCOPE_TRY(MapCharacters(text, [&](char32_t character, std::string& replacement) {
      return CleanAsBert(options, character, replacement);
    }));
    if (options.strip_accents.value_or(options.lowercase)) {
      HEADSCOPE_TRY(ToNfd(text));
      HEADSCOPE_TRY(MapCharacters(text, [](char32_t character, std::string& /*replacement*/) {
        return IsNonspacingMark(character);
      }));
    }
    return options.lowercase ? ToLowercase(text) : Status{};
  }};
}

Result<Normalizer> ParseBertNormalizer(const JsonObject& object) {
  BertNormalization options;
  HEADSCOPE_TRY(options.clean_text, object.Boolean("clean_text", true));
  HEADSCOPE_TRY(options.handle_chinese_chars, object.Boolean("handle_chinese_chars", true));
  HEADSCOPE_TRY(options.lowercase, object.Boolean("lowercase", true));
  HEADSCOPE_TRY(const auto accents, object.Boolean("strip_accents", false));
  if (object.Has("strip_accents")) {
    options.strip_accents = accents;
  }
  return MakeBertNormalizer(options);
}

}  // namespace headscope::text
