#include "core/text/gguf_vocabulary.h"

#include "core/text/parts.h"

namespace headscope {

Result<std::shared_ptr<const Tokenizer>> MakeTokenizer(const GgufVocabulary& vocabulary) {
  return text::NotYet(vocabulary.name, "tokenizer.ggml.model", vocabulary.model);
}

}  // namespace headscope
