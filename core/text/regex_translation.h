// Oniguruma's regular expressions, as tokenizer.json has them (Ruby's syntax, Unicode), in the
// words of PCRE2.
//
// Errors   kUnsupported, without the pattern's name: what has no translation.
// Threads  any.
// Cost     once over the pattern.
// Source   Oniguruma's doc/RE; what its classes hold was compared with the tokenizers library over
//          all of Unicode.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace headscope::text {

[[nodiscard]] Result<std::string> ToPcre(std::string_view pattern);

}  // namespace headscope::text
