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

// A possible value of --view.
struct ViewChoice {
  std::string_view id;
  bool is_ready = true;
};

// Returns the screens that exist as --help names the value: "inspect|counts|help".
[[nodiscard]] std::string ViewValue(const std::vector<ViewChoice>& views);

[[nodiscard]] CommandResult<WindowArguments> ReadWindowArguments(
    const Options& options, const std::vector<ViewChoice>& views);

}  // namespace headscope
