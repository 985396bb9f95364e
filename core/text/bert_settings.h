// How BERT's tokenizers treat a text before it is cut, as tokenizer_config.json says: whatever a
// tokenizer.json beside it has, these settings hold.
//
// Errors   kFormat, as TokenizerConfig.
// Threads  any.
// Source   transformers' BertTokenizer, which makes its normaliser anew from these settings.
#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/text/character_normalizers.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {

// Whether transformers opens a folder with BERT's tokenizer: its tokenizer_class, or where there is
// none the model_type of config.json.
[[nodiscard]] bool IsBertTokenizer(std::string_view tokenizer_class, std::string_view model_type);

[[nodiscard]] Result<BertNormalization> ReadBertNormalization(const TokenizerConfig& config);

}  // namespace headscope::text
