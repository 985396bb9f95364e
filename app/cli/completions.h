// Completions of the command line in three shells, written from its table.
//
// They complete commands, options, an option's choices, the names of bundled models, and files
// where a file is expected.
//
// Errors   none.
// Threads  any.
#pragma once

#include <string>

#include "app/cli/command_table.h"

namespace headscope {

[[nodiscard]] std::string BashCompletion(const CommandTable& table);
[[nodiscard]] std::string ZshCompletion(const CommandTable& table);
[[nodiscard]] std::string FishCompletion(const CommandTable& table);

}  // namespace headscope
