// Whether a model repeats what a text hides (core/heads/probe/retrieval.h).
//
// Errors   kCancelled, what the forward returns.
// Threads  the backend's.
// Cost     two forwards a text.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

class TokenLosses;  // core/heads/effect/token_losses.h

// In how many of the texts the model gives the hidden word a higher probability than the other
// sentence's, in its place. Half of them are chance: a model that cannot do the task has no heads
// for it, whatever they look at.
struct TaskResult {
  std::int64_t right = 0;
  std::int64_t texts = 0;
};
[[nodiscard]] Result<TaskResult> DoesTask(Forward* forward,
                                          const ProbeCorpus& corpus,
                                          const std::stop_token& stop);
// The same for one text.
[[nodiscard]] Result<bool> PrefersHidden(TokenLosses* losses,
                                         const ProbeSequence& text,
                                         const std::stop_token& stop);
// The result in a sentence; `why_not`: there is none.
[[nodiscard]] std::string TaskWords(const TaskResult& task, const std::string& why_not);

}  // namespace headscope
