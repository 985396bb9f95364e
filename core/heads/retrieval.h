// Texts in which a sentence is hidden and asked for at the end:
//   ... Anna hid the letter in the garden. ... Tom hid the key in the kitchen. ...
//   Where did Anna hide the letter? Anna hid the letter in the garden.
// Rows of the answer know which key holds the token that comes next, and, as its control, where the
// other sentence has one: whoever looks at what came after "in the" finds that as often.
//
// Errors   kInput (no tokenizer, too few positions), kCancelled, what the forward returns.
// Threads  making: any; measuring: the backend's.
// Cost     DoesTask: two forwards a text.
// Source   Wu 2024, "Retrieval Head Mechanistically Explains Long-Context Factuality".
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "core/heads/probe.h"
#include "core/model/forward.h"

namespace headscope {

class TokenLosses;  // core/heads/token_losses.h

struct RetrievalSettings {
  std::int64_t sequences = 10;
  std::span<const std::string> texts = {};  // what the sentences are hidden among
  std::int64_t longest = 512;               // tokens, as far as the model reads
  std::uint64_t seed = 1;
};

[[nodiscard]] Result<ProbeCorpus> MakeRetrieval(const Model& model,
                                                const RetrievalSettings& settings,
                                                const std::stop_token& stop);

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
// Of one text.
[[nodiscard]] Result<bool> PrefersHidden(TokenLosses* losses,
                                         const ProbeSequence& text,
                                         const std::stop_token& stop);
// The result in a sentence; `why_not`: there is none.
[[nodiscard]] std::string TaskWords(const TaskResult& task, const std::string& why_not);

}  // namespace headscope
