// Normalisers that look at one character at a time.
//
// Errors   as Normalizer.
// Threads  as Normalizer.
// Source   as the tokenizers library does it, compared character by character.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/text/normalizer.h"

namespace headscope::text {

struct BertNormalization {
  bool clean_text = true;             // no control characters, every blank a plain one
  bool handle_chinese_chars = true;   // blanks around Chinese characters
  std::optional<bool> strip_accents;  // left out: as lowercase
  bool lowercase = true;
};

[[nodiscard]] std::unique_ptr<const Normalizer> MakeBertNormalizer(BertNormalization options);
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> ParseBertNormalizer(
    const JsonObject& object);

// Lowercase, StripAccents, Nmt, ByteLevel; null for any other.
[[nodiscard]] std::unique_ptr<const Normalizer> MakeCharacterNormalizer(std::string_view type);

}  // namespace headscope::text
