// Finds the words of a text that the vocabulary cannot represent.
//
// A word is unknown if one of its tokens stands for text that is not in the vocabulary (the unknown
// token, or bytes in its place), or if it has no tokens. Words follow Unicode's rules, with
// dictionaries for scripts without blanks between words; a punctuation mark or an emoji counts as a
// word if it is unknown.
//
// Cost     one look at each token if all are known, otherwise a walk over the texts.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope::text {

// A UTF-8 text and its own tokens, in the order of the text.
struct TokenizedText {
  std::string_view text;
  const std::vector<Token>& tokens;
};

// Returns the unknown words of a text and, if there is one, a second text. Empty if all are known;
// incomplete if stopped.
[[nodiscard]] UnknownWords FindUnknownWords(const TokenizedText& first,
                                            const TokenizedText& second,
                                            const std::stop_token& stop);

}  // namespace headscope::text
