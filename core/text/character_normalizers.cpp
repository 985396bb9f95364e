#include "core/text/character_normalizers.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <unicode/uchar.h>

#include "core/text/byte_level.h"
#include "core/text/unicode.h"
#include "core/text/unicode_form.h"

namespace headscope::text {
namespace {

// Replaces each character for which `map(character, replacement)` returns true by the replacement,
// which is empty when `map` is called.
template <typename Map>
Status MapCharacters(AlignedText& text, const Map& map) {
  const std::string& bytes = text.text();
  std::vector<Edit> edits;
  std::string replacement;
  std::size_t position = 0;
  while (position < bytes.size()) {
    const std::size_t begin = position;
    const char32_t character = NextCharacter(bytes, position);
    if (map(character, replacement)) {
      edits.push_back({begin, position, std::move(replacement)});
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

class BertNormalizer : public Normalizer {
 public:
  explicit BertNormalizer(const BertNormalization& options) : options_(options) {}

  Status Apply(AlignedText& text) const override {
    HEADSCOPE_TRY(MapCharacters(text, [this](char32_t character, std::string& replacement) {
      return Clean(character, replacement);
    }));
    if (options_.strip_accents.value_or(options_.lowercase)) {
      HEADSCOPE_TRY(ToUnicodeForm(text, UnicodeForm::kNfd));
      HEADSCOPE_TRY(MapCharacters(text, [](char32_t character, std::string& /*replacement*/) {
        return IsNonspacingMark(character);
      }));
    }
    return options_.lowercase ? MapCharacters(text, &Lower) : Status{};
  }

 private:
  bool Clean(char32_t character, std::string& replacement) const {
    const bool is_break = character == U'\t' || character == U'\n' || character == U'\r';
    if (options_.clean_text) {
      if (!is_break &&
          (character == 0 || character == kReplacementCharacter || IsControl(character))) {
        return true;
      }
      if (is_break || (character != U' ' && IsWhitespace(character))) {
        replacement = " ";
        return true;
      }
    }
    if (options_.handle_chinese_chars && IsChinese(character)) {
      replacement = " ";
      AppendCharacter(replacement, character);
      replacement += ' ';
      return true;
    }
    return false;
  }

  BertNormalization options_;
};

// Drops control characters and makes whatever is used as a blank a space; SentencePiece's "nmt".
bool NmtClean(char32_t character, std::string& replacement) {
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

template <bool (*Map)(char32_t, std::string&)>
class CharacterNormalizer : public Normalizer {
 public:
  Status Apply(AlignedText& text) const override { return MapCharacters(text, Map); }
};

bool DropMark(char32_t character, std::string& /*replacement*/) {
  return IsMark(character);
}

class ByteLevelNormalizer : public Normalizer {
 public:
  Status Apply(AlignedText& text) const override { return text.MapBytes(ByteCharacters()); }
};

}  // namespace

std::unique_ptr<const Normalizer> MakeBertNormalizer(BertNormalization options) {
  return std::make_unique<BertNormalizer>(options);
}

Result<std::unique_ptr<const Normalizer>> ParseBertNormalizer(const JsonObject& object) {
  BertNormalization options;
  HEADSCOPE_TRY(const auto clean, object.Boolean("clean_text", options.clean_text));
  HEADSCOPE_TRY(const auto chinese,
                object.Boolean("handle_chinese_chars", options.handle_chinese_chars));
  HEADSCOPE_TRY(const auto lowercase, object.Boolean("lowercase", options.lowercase));
  HEADSCOPE_TRY(const auto accents, object.Boolean("strip_accents", false));
  options.clean_text = clean;
  options.handle_chinese_chars = chinese;
  options.lowercase = lowercase;
  if (object.Has("strip_accents")) {
    options.strip_accents = accents;
  }
  return MakeBertNormalizer(options);
}

std::unique_ptr<const Normalizer> MakeCharacterNormalizer(std::string_view type) {
  if (type == "Lowercase") {
    return std::make_unique<CharacterNormalizer<&Lower>>();
  }
  if (type == "StripAccents") {
    return std::make_unique<CharacterNormalizer<&DropMark>>();
  }
  if (type == "Nmt") {
    return std::make_unique<CharacterNormalizer<&NmtClean>>();
  }
  if (type == "ByteLevel") {
    return std::make_unique<ByteLevelNormalizer>();
  }
  return nullptr;
}

}  // namespace headscope::text
