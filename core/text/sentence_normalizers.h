// Normalisers of SentencePiece models.
//
// Errors   as Normalizer; a table of replacements: kFormat.
// Threads  as Normalizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/text/charsmap.h"
#include "core/text/normalizer.h"

namespace headscope::text {

struct SentenceNormalization {
  Charsmap charsmap;
  bool add_dummy_prefix = true;          // a blank before the text
  bool remove_extra_whitespaces = true;  // at both ends, and all but one of a run
  bool escape_whitespaces = true;        // as "▁"
  bool is_suffix = false;                // the dummy goes behind the text
  std::vector<std::string> kept;         // texts that stay as they are: what the user defined
};

// As SentencePiece itself does it: the longest match of the table wins.
[[nodiscard]] std::unique_ptr<const Normalizer> MakeSentenceNormalizer(
    SentenceNormalization options);

// tokenizer.json's Precompiled, as the tokenizers library does it: grapheme by grapheme, and of a
// grapheme that the table knows a beginning of, all is replaced.
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> ParsePrecompiled(const JsonObject& object);

}  // namespace headscope::text
