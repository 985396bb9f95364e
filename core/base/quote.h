// Quotes foreign text for a message: on one line, at most 80 bytes.
//
// Errors   none: control characters are escaped (\n, \x1b), longer text ends in "...".
#pragma once

#include <string>
#include <string_view>

namespace headscope {

[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace headscope
