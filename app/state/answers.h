// What people ask about numbers of heads, answered of the open model: a paragraph with what was
// measured on it so far, and the actions that lead to where one sees it.
//
// Errors   none: before there is a model or a measurement, the sentence says what would show it.
// Threads  UI thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/state/actions.h"
#include "app/state/app_state.h"

namespace headscope {

struct Answer {
  std::string_view question;
  std::string words;
  std::string_view button;
  std::string_view screen;      // where the button goes
  std::vector<Action> actions;  // there
};

[[nodiscard]] std::vector<Answer> AnswersOf(const AppState& state);

}  // namespace headscope
