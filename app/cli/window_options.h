// Reads the options of the window: what opens, on which screen, at which size.
//
// Errors   CommandError, wrong usage: more than one thing to open, nothing by that name, no such
//          screen, a size out of range.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/options.h"
#include "app/state/window_arguments.h"

namespace headscope {

// Possible values of --view.
using ViewChoices = std::vector<std::string_view>;

// Returns them as --help names the value: "inspect|counts|help".
[[nodiscard]] std::string ViewValue(const ViewChoices& views);

[[nodiscard]] CommandResult<WindowArguments> ReadWindowArguments(const Options& options,
                                                                 const ViewChoices& views);

}  // namespace headscope
