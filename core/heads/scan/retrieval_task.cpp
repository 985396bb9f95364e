#include "core/heads/scan/retrieval_task.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/heads/effect/token_losses.h"

namespace headscope {

Result<bool> PrefersHidden(TokenLosses* losses,
                           const ProbeSequence& text,
                           const std::stop_token& stop) {
  ProbeSequence other = text;
  std::vector<std::int64_t> answer;
  for (const HiddenToken& next : text.hidden) {
    answer.push_back(next.query + 1);
    other.ids[static_cast<std::size_t>(next.query) + 1] =
        text.ids[static_cast<std::size_t>(next.other)];
  }
  const std::array<const ProbeSequence*, 2> texts = {&text, &other};
  const std::array<std::vector<std::int64_t>, 2> predicted = {answer, answer};
  HEADSCOPE_TRY(const auto of_both, losses->Run(texts, predicted, stop));
  return of_both[0] < of_both[1];
}

Result<TaskResult> DoesTask(Forward* forward,
                            const ProbeCorpus& corpus,
                            const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto losses, TokenLosses::Make(forward, stop));
  TaskResult result;
  for (const ProbeSequence& sequence : corpus.sequences) {
    HEADSCOPE_TRY(const auto prefers, PrefersHidden(losses.get(), sequence, stop));
    ++result.texts;
    result.right += prefers ? 1 : 0;
  }
  return result;
}

std::string TaskWords(const TaskResult& task, const std::string& why_not) {
  if (!why_not.empty()) {
    return "whether the model can do the task is not known: " + why_not;
  }
  return fmt::format(
      "the model prefers the hidden word to the other sentence's in {} of {} texts; half of them "
      "are chance, and of a model that cannot do the task scores of retrieval say nothing",
      task.right,
      task.texts);
}

}  // namespace headscope
