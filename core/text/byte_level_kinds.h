// Byte-level tokenizers by the names that GGUF files use for how they split a text
// ("tokenizer.ggml.pre"); such files name the method without describing it.
//
// Errors   kUnsupported: a name that the program does not know.
// Source   the patterns published in the models' own tokenizer.json.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"

namespace headscope::text {

struct ByteLevelSetup {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  bool ignore_merges = false;  // a piece in the vocabulary stays whole
};

// `name` is the file's, for messages.
[[nodiscard]] Result<ByteLevelSetup> MakeByteLevelKind(std::string_view kind,
                                                       bool add_prefix_space,
                                                       const std::string& name);

}  // namespace headscope::text
