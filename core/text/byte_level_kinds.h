// Byte-level tokenizers by the names that GGUF files give to the way they cut a text
// ("tokenizer.ggml.pre"), for files that name it and do not describe it.
//
// Errors   kUnsupported: a name that this program does not know.
// Threads  any.
// Source   the patterns that the models' own tokenizer.json publish.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"

namespace headscope::text {

struct ByteLevelSetup {
  std::unique_ptr<const Normalizer> normalizer;  // may be null
  std::unique_ptr<const PreTokenizer> pre_tokenizer;
  bool ignore_merges = false;  // a piece that is in the vocabulary stays whole
};

// `name` is that of the file.
[[nodiscard]] Result<ByteLevelSetup> MakeByteLevelKind(std::string_view kind,
                                                       bool add_prefix_space,
                                                       const std::string& name);

}  // namespace headscope::text
