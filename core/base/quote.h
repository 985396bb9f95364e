// Foreign text inside a message: quoted, on one line, at most 80 bytes.
//
// Errors   none: control characters are spelt (\n, \x1b), a longer text ends in "...".
// Threads  any.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace headscope
