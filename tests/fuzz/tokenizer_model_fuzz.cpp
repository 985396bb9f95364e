#include "core/text/tokenizer.h"
#include "tests/fuzz/encode.h"
#include "tests/fuzz/input.h"

// A SentencePiece model, which also is the text to encode, as far as it is UTF-8.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzz::Text(data, size);
  const auto tokenizer = ParseTokenizerModel(input, "fuzz.model");
  if (!tokenizer) {
    fuzz::CheckMessage(tokenizer.error(), "fuzz.model: ");
    return 0;
  }
  fuzz::EncodeTexts(**tokenizer, input);
  return 0;
}
