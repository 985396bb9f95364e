// What a tokenizer does to the text before it looks for pieces.
//
// Errors   kInput: the result is too long, or a pattern gives up; parsing: kFormat, kUnsupported.
// Threads  immutable; any thread applies.
// Source   Unicode normalisation and case by ICU; the rest as the tokenizers library does it.
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

  // The character that stands for a blank in the result, if this step makes one ("▁").
  [[nodiscard]] virtual std::string BlankMarker() const { return {}; }

 protected:
  Normalizer() = default;
};

// Sequence, Prepend, Replace, Strip, NFC, NFD, NFKC, NFKD, Precompiled, BertNormalizer, and those
// of MakeCharacterNormalizer.
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> ParseNormalizer(const JsonObject& object,
                                                                        int nesting = 0);

[[nodiscard]] std::unique_ptr<const Normalizer> MakeFormNormalizer(UnicodeForm form);

}  // namespace headscope::text
