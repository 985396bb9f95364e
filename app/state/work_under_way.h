// What of the table of works (app/state/work.h) is under way, for the status line, its bar, Cancel and
// whoever waits for the end.
//
// Threads  UI thread.
#pragma once

#include <vector>

#include "app/state/app_state.h"

namespace headscope {

struct WorkUnderWay {
  int turn = 0;           // as the worker takes requests (core/worker/request_rule.h)
  RequestId request = 0;  // 0: it waits for a disk, or for an answer
  // `what` in the words of the status line, done and total of the same; no total: nobody knows.
  Progress progress;
  bool is_long = true;  // a person may want to stop it
};

// In the order in which the worker does it: what is being done comes first.
[[nodiscard]] std::vector<WorkUnderWay> AllWork(const AppState& state);
[[nodiscard]] bool Busy(const AppState& state);

}  // namespace headscope
