// Normalisers that work on one character at a time.
//
// Errors   as Normalizer.
// Threads  as Normalizer.
// Source   the tokenizers library, compared character by character.
#pragma once

#include <optional>

#include "core/text/normalizer.h"

namespace headscope::text {

struct BertNormalization {
  bool clean_text = true;             // drops control characters, makes every blank a plain space
  bool handle_chinese_chars = true;   // puts spaces around Chinese characters
  std::optional<bool> strip_accents;  // empty: the same as lowercase
  bool lowercase = true;
};

[[nodiscard]] Normalizer MakeBertNormalizer(const BertNormalization& options);
[[nodiscard]] Result<Normalizer> ParseBertNormalizer(const JsonObject& object);

[[nodiscard]] Status ToLowercase(AlignedText& text);
[[nodiscard]] Status DropMarks(AlignedText& text);
// Drops control characters and makes whatever is used as a blank a space; SentencePiece's "nmt".
[[nodiscard]] Status CleanAsNmt(AlignedText& text);

}  // namespace headscope::text
