// Rewrites the arguments of a command line so that the parser need not guess: "--text=" has an
// empty value and does not consume the next argument, a value may begin with a dash, and an option
// is never taken for a value.
//
// Errors   CommandError, wrong usage: an option without a value, or with an empty one that is not
//          allowed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/cli/options.h"

namespace headscope {

// By name, "--text": true if a value follows.
using KnownOptions = std::map<std::string, bool, std::less<>>;

struct KnownCommands {
  KnownOptions options;  // if there is no subcommand
  std::map<std::string, KnownOptions, std::less<>> subcommands;
};

// `given`: in order, without the program's name.
[[nodiscard]] CommandResult<std::vector<std::string>> PlainArguments(
    const KnownCommands& known, const std::vector<std::string>& given);

}  // namespace headscope
