// What Debian 12's Oniguruma (6.9.8) reads in another way than later ones and the tokenizers
// library do, said so that all of them read the same: [:punct:] has symbols such as $ and + since
// 6.9.9, and \p{Word} outside of brackets is \w.
//
// Errors   none: what is no pattern stays none.
// Threads  any.
// Cost     once over the pattern.
#pragma once

#include <string>
#include <string_view>

namespace headscope::text {

// For a later version: the pattern itself.
[[nodiscard]] std::string ForThisOniguruma(std::string_view pattern);

}  // namespace headscope::text
