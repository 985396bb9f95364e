#include "core/text/tokenizer.h"
#include "tests/fuzz/encode.h"
#include "tests/fuzz/input.h"

// A tokenizer.json, and after its last zero byte, if there is one, a text to encode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzz::Text(data, size);
  const std::size_t zero = input.rfind('\0');
  const std::string_view own = zero == std::string_view::npos ? "" : input.substr(zero + 1);
  const auto tokenizer = ParseTokenizerJson(input.substr(0, zero), "fuzz.json");
  if (!tokenizer) {
    fuzz::CheckMessage(tokenizer.error(), "fuzz.json: ");
    return 0;
  }
  fuzz::EncodeTexts(**tokenizer, own);
  return 0;
}
