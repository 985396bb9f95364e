// The normalisers of SentencePiece models.
//
// Errors   as Normalizer; kFormat for a table of replacements.
// Threads  as Normalizer.
#pragma once

#include <string>
#include <vector>

#include "core/text/charsmap.h"
#include "core/text/normalizer.h"

namespace headscope::text {

struct SentenceNormalization {
  Charsmap charsmap;
  bool add_dummy_prefix = true;          // a space before the text
  bool remove_extra_whitespaces = true;  // at both ends, and all but one in a run
  bool escape_whitespaces = true;        // as "▁"
  bool is_suffix = false;                // the dummy goes after the text
  std::vector<std::string> kept;         // user-defined texts, which are never changed
};

// Does what SentencePiece itself does: the longest match of the table wins.
[[nodiscard]] Normalizer MakeSentenceNormalizer(SentenceNormalization options);

// Reads tokenizer.json's Precompiled, which works as in the tokenizers library: grapheme by
// grapheme, and where the table has a beginning of a grapheme, the whole grapheme is replaced.
[[nodiscard]] Result<Normalizer> ParsePrecompiled(const JsonObject& object);

}  // namespace headscope::text
