// Normalisers that work on one character at a time.
//
// Errors   as Normalizer.
// Threads  as Normalizer.
// Source   the tokenizers library, compared character by character.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/text/normalizer.h"

namespace headscope::text {

struct BertNormalization {
  bool clean_text = true;             // drops control characters, makes every blank a plain space
  bool handle_chinese_chars = true;   // puts spaces around Chinese characters
  std::optional<bool> strip_accents;  // empty: the same as lowercase
  bool lowercase = true;
};

[[nodiscard]] std::unique_ptr<const Normalizer> MakeBertNormalizer(BertNormalization options);
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> ParseBertNormalizer(
    const JsonObject& object);

// Makes Lowercase, StripAccents, Nmt or ByteLevel; null for any other type.
[[nodiscard]] std::unique_ptr<const Normalizer> MakeCharacterNormalizer(std::string_view type);

}  // namespace headscope::text
