// Reads how BERT's tokenizers normalise a text, from tokenizer_config.json. These settings override
// those of a tokenizer.json in the same folder.
//
// Errors   kFormat, as TokenizerConfig.
// Source   transformers' BertTokenizer, which builds a new normaliser from these settings.
#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/text/character_normalizers.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {

// Whether transformers opens a folder with BERT's tokenizer: decided by its tokenizer_class, or, if
// it has none, by the model_type of config.json.
[[nodiscard]] bool IsBertTokenizer(std::string_view tokenizer_class, std::string_view model_type);

[[nodiscard]] Result<BertNormalization> ReadBertNormalization(const TokenizerConfig& config);

}  // namespace headscope::text
