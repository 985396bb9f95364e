// Changes the text before the tokenizer splits it into pieces.
//
// Errors   kInput: the result is too long, or a pattern exceeds its limits; parsing: kFormat,
//          kUnsupported.
// Source   Unicode normalisation and case by ICU; the rest as in the tokenizers library.
#pragma once

#include "core/text/aligned_text.h"
#include "core/text/text_step.h"

namespace headscope::text {

using Normalizer = TextStep<AlignedText>;

// Reads Sequence, Prepend, Replace, Strip, NFC, NFD, NFKC, NFKD, Precompiled, BertNormalizer,
// Lowercase, StripAccents, Nmt and ByteLevel.
[[nodiscard]] Result<Normalizer> ParseNormalizer(const JsonObject& object);

}  // namespace headscope::text
