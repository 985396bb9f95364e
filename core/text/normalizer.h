// Changes the text before the tokenizer splits it into pieces.
//
// Errors   kInput: the result is too long, or a pattern exceeds its limits; parsing: kFormat,
//          kUnsupported.
// Threads  immutable; any thread applies.
// Source   Unicode normalisation and case by ICU; the rest as in the tokenizers library.
#pragma once

#include <memory>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/aligned_text.h"
#include "core/text/unicode_form.h"

namespace headscope::text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;

  [[nodiscard]] virtual Status Apply(AlignedText& text) const = 0;

  // The character that represents a space in the result, if this step writes one ("▁").
  [[nodiscard]] virtual std::string BlankMarker() const { return {}; }

 protected:
  Normalizer() = default;
};

// Reads Sequence, Prepend, Replace, Strip, NFC, NFD, NFKC, NFKD, Precompiled, BertNormalizer, and
// those of MakeCharacterNormalizer.
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> ParseNormalizer(const JsonObject& object,
                                                                        int nesting = 0);

[[nodiscard]] std::unique_ptr<const Normalizer> MakeFormNormalizer(UnicodeForm form);

}  // namespace headscope::text
