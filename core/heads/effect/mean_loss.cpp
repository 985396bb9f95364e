#include "core/heads/effect/mean_loss.h"

#include <span>
#include <vector>

#include "core/heads/effect/token_losses.h"

namespace headscope {

Result<std::optional<MeanOfRuns>> MeanLossOf(Forward* forward,
                                             const ProbeCorpus& corpus,
                                             std::int64_t most_texts,
                                             const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto losses, TokenLosses::Make(forward, stop));
  std::vector<double> found;
  for (const ProbeSequence& text : corpus.sequences) {
    if (std::ssize(found) >= most_texts) {
      break;
    }
    const auto predicted = PredictedTokens(text, corpus.is_repeats());
    if (text.is_control || predicted.empty()) {
      continue;
    }
    const ProbeSequence* const one = &text;
    HEADSCOPE_TRY(const auto sum, losses->Run(std::span(&one, 1), std::span(&predicted, 1), stop));
    found.push_back(sum.front() / static_cast<double>(predicted.size()));
  }
  return MeanOfValues(found);
}

}  // namespace headscope
