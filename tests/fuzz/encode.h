// What every tokenizer must bear: texts, ids, and the demands on what it makes of them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/text/tokenizer.h"
#include "tests/fuzz/input.h"

namespace headscope::fuzz {

inline void CheckEncoding(const Encoding& encoding, std::size_t text_size, std::size_t pair_size) {
  for (const Token& token : encoding.tokens) {
    const std::size_t size = token.segment == 0 ? text_size : pair_size;
    HEADSCOPE_CHECK(
        token.begin >= 0 && token.begin <= token.end && static_cast<std::size_t>(token.end) <= size,
        "a token lies in its text");
    HEADSCOPE_CHECK(token.id >= 0, "an id is a number of the vocabulary");
    HEADSCOPE_CHECK(!token.display.empty(), "a token can be seen");
  }
}

// `own` is the input's own text.
inline void EncodeTexts(const Tokenizer& tokenizer, std::string_view own) {
  const std::array<std::string_view, 3> texts = {
      own, "The cat  sat\n\ton the mat's 12 é שלום \U0001F600 <s>", ""};
  for (const std::string_view text : texts) {
    const Result<Encoding> encoding =
        tokenizer.Encode(text, EncodeOptions{.pair = "on mat", .add_special = true, .stop = {}});
    if (encoding) {
      CheckEncoding(*encoding, text.size(), 6);
    }
  }
  const std::array<std::int32_t, 5> ids = {0, 1, -1, 2147483647, 5};
  HEADSCOPE_CHECK(tokenizer.Describe(ids).tokens.size() == ids.size(), "every id is described");
}

}  // namespace headscope::fuzz
