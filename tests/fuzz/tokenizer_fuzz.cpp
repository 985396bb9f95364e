#include <array>
#include <string>

#include "core/text/tokenizer.h"
#include "tests/fuzz/input.h"

namespace headscope {
namespace {

void CheckEncoding(const Encoding& encoding, std::size_t text_size, std::size_t pair_size) {
  for (const Token& token : encoding.tokens) {
    const std::size_t size = token.segment == 0 ? text_size : pair_size;
    HEADSCOPE_CHECK(
        token.begin >= 0 && token.begin <= token.end && static_cast<std::size_t>(token.end) <= size,
        "a token lies in its text");
    HEADSCOPE_CHECK(token.id >= 0, "an id is a number of the vocabulary");
    HEADSCOPE_CHECK(!token.display.empty(), "a token can be seen");
  }
}

}  // namespace
}  // namespace headscope

// A tokenizer.json, and after its last zero byte, if there is one, a text to encode.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzz::Text(data, size);
  const std::size_t zero = input.rfind('\0');
  const std::string_view json = input.substr(0, zero);
  const std::string_view own = zero == std::string_view::npos ? "" : input.substr(zero + 1);
  const auto tokenizer = ParseTokenizerJson(json, "fuzz.json");
  if (!tokenizer) {
    fuzz::CheckMessage(tokenizer.error(), "fuzz.json: ");
    return 0;
  }
  const std::array<std::string_view, 3> texts = {
      own, "The cat  sat\n\ton the mat's 12 é שלום \U0001F600 <s>", ""};
  for (const std::string_view text : texts) {
    const Result<Encoding> encoding =
        (*tokenizer)
            ->Encode(text, EncodeOptions{.pair = "on mat", .add_special = true, .stop = {}});
    if (encoding) {
      CheckEncoding(*encoding, text.size(), 6);
    }
  }
  const std::array<std::int32_t, 5> ids = {0, 1, -1, 2147483647, 5};
  HEADSCOPE_CHECK((*tokenizer)->Describe(ids).tokens.size() == ids.size(), "every id is described");
  return 0;
}
