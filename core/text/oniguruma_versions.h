// Rewrites a pattern so that every version of Oniguruma reads it as the tokenizers library does.
// Debian 12's (6.9.8) differs from later ones: [:punct:] has symbols such as $ and + only since
// 6.9.9, and \p{Word} outside of brackets must be \w.
//
// Errors   none: an invalid pattern stays invalid.
// Cost     one pass over the pattern.
#pragma once

#include <string>
#include <string_view>

namespace headscope::text {

// Returns a later version's pattern unchanged.
[[nodiscard]] std::string ForThisOniguruma(std::string_view pattern);

}  // namespace headscope::text
