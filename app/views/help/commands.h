// Everything that a person can do from wherever they are, by name: the command palette lists it.
//
// Threads  UI thread.
#pragma once

#include <string>
#include <vector>

#include "app/state/actions.h"
#include "app/state/app_state.h"

namespace headscope {

struct Command {
  std::string name;
  std::string keys = {};             // that do the same
  std::vector<Action> actions = {};  // one after another
  Popup popup = Popup::kNone;        // that opens after them
  bool types = false;                // its field takes the keys at once
  std::string why_not = {};          // it cannot be done now; empty: it can
};

// In the order in which they are listed where nothing is typed.
[[nodiscard]] std::vector<Command> CommandsOf(const AppState& state);

// Those whose names have every word of `typed`, in any case: names that begin with them first.
[[nodiscard]] std::vector<Command> FindCommands(std::vector<Command> commands,
                                                std::string_view typed);

}  // namespace headscope
