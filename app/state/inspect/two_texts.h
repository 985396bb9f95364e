// The two texts that a model read as one: a pair, or what stands before and after a separator. How much
// of the attention goes from one to the other.
//
// Threads  any.
// Cost     a look at every token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/text_shades.h"
#include "core/text/tokenizer.h"

namespace headscope {

// Tokens, ascending; special ones are of neither.
struct TwoTexts {
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
};
// nullopt: it is one text.
[[nodiscard]] std::optional<TwoTexts> TwoTextsOf(const Encoding& text);

// How a shading divides between the texts. Of what words look at: "Of the sum, 41.0 % is on text A, 20.0 %
// on text B, 39.0 % on special tokens."; of who looks at them: the mean over the rows of each. Empty: the
// shading is not of these texts.
[[nodiscard]] std::string SharesOfTexts(const TwoTexts& texts,
                                        const TextShades& shades,
                                        bool by_key);

}  // namespace headscope
