// The manual page, headscope(1), written from the table of the command line.
//
// Errors   none.
// Threads  any.
// Source   man(7), the macros of groff.
#pragma once

#include <string>

#include "app/cli/command_table.h"

namespace headscope {

[[nodiscard]] std::string ManualPage(const CommandTable& table);

}  // namespace headscope
