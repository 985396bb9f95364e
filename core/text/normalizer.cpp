#include "core/text/normalizer.h"

#include <utility>

#include "core/text/byte_level.h"
#include "core/text/character_normalizers.h"
#include "core/text/sentence_normalizers.h"
#include "core/text/unicode.h"
#include "core/text/unicode_form.h"

namespace headscope::text {
namespace {

Result<Normalizer> ReadPrepend(const JsonObject& object) {
  HEADSCOPE_TRY(auto prefix, object.String("prepend"));
  return Normalizer{[prefix = std::move(prefix)](AlignedText& text) {
    return text.empty() ? Status{} : text.Insert(0, prefix);
  }};
}

Result<Normalizer> ReadReplace(const JsonObject& object) {
  HEADSCOPE_TRY(auto pattern, ParsePattern(object));
  HEADSCOPE_TRY(auto content, object.String("content"));
  const auto* const needle = std::get_if<std::string>(&pattern);
  const bool marks_blanks = needle != nullptr && *needle == " " && content != " ";
  Normalizer replace{.blank_marker = marks_blanks ? content : ""};
  replace.apply = [pattern = std::move(pattern),
                   content = std::move(content)](AlignedText& text) -> Status {
    HEADSCOPE_TRY(const auto matches, FindMatches(pattern, text.text()));
    return text.Replace(matches, content);
  };
  return replace;
}

Result<Normalizer> ReadStrip(const JsonObject& object) {
  HEADSCOPE_TRY(const auto left, object.Boolean("strip_left", true));
  HEADSCOPE_TRY(const auto right, object.Boolean("strip_right", true));
  return Normalizer{[left, right](AlignedText& text) {
    const std::string& bytes = text.text();
    std::size_t begin = 0;
    std::size_t end = bytes.size();
    for (std::size_t next = 0; left && begin < end; begin = next) {
      if (!IsWhitespace(NextCharacter(bytes, next))) {
        break;
      }
    }
    for (std::size_t next = end; right && begin < end; end = next) {
      if (!IsWhitespace(PreviousCharacter(bytes, next))) {
        break;
      }
    }
    text = text.Slice(begin, end);
    return Status{};
  }};
}

Status ToByteCharacters(AlignedText& text) {
  return text.MapBytes(ByteCharacters());
}

// For a type without settings.
template <Status (*Apply)(AlignedText&)>
Result<Normalizer> ReadPlainNormalizer(const JsonObject& /*object*/) {
  return Normalizer{Apply};
}

constexpr StepReader<Normalizer> kNormalizers[] = {
    {"Prepend", ReadPrepend},
    {"Replace", ReadReplace},
    {"Strip", ReadStrip},
    {"NFC", ReadPlainNormalizer<ToNfc>},
    {"NFD", ReadPlainNormalizer<ToNfd>},
    {"NFKC", ReadPlainNormalizer<ToNfkc>},
    {"NFKD", ReadPlainNormalizer<ToNfkd>},
    {"BertNormalizer", ParseBertNormalizer},
    {"Precompiled", ParsePrecompiled},
    {"Lowercase", ReadPlainNormalizer<ToLowercase>},
    {"StripAccents", ReadPlainNormalizer<DropMarks>},
    {"Nmt", ReadPlainNormalizer<CleanAsNmt>},
    {"ByteLevel", ReadPlainNormalizer<ToByteCharacters>},
};

}  // namespace

Result<Normalizer> ParseNormalizer(const JsonObject& object) {
  return ReadStep<Normalizer>(object, "normalizer", "normalizers", kNormalizers);
}

}  // namespace headscope::text
