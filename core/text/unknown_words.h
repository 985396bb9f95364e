// Which words of a text the vocabulary cannot say.
//
// A word is unknown if one of its tokens stands for text that is not in the vocabulary (the unknown
// token, or bytes in its place), or if none of its tokens is there. Words are those of Unicode's
// rules, with dictionaries where no blanks part them; a mark or an emoji counts where it is
// unknown.
//
// Errors   none.
// Threads  any.
// Cost     a look at each token where all are known, else a walk over the texts.
#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope::text {

// A text in UTF-8 and its own tokens, in its order.
struct TokenizedText {
  std::string_view text;
  const std::vector<Token>& tokens;
};

// The unknown words of a text and, if there is one, a second text. Empty where all is known;
// incomplete once stopped.
[[nodiscard]] UnknownWords FindUnknownWords(const TokenizedText& first,
                                            const TokenizedText& second,
                                            const std::stop_token& stop);

}  // namespace headscope::text
