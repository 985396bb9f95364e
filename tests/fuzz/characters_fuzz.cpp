#include "core/model/nano_gpt.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const auto tokenizer = ParseCharacters(fuzz::Bytes(data, size), "fuzz.pkl");
  if (!tokenizer) {
    fuzz::CheckMessage(tokenizer.error(), "fuzz.pkl: ");
    return 0;
  }
  const auto encoding = (*tokenizer)->Encode("To be, or not to be", {});
  HEADSCOPE_CHECK(!encoding || encoding->tokens.size() <= 19, "a character has one token");
  return 0;
}
