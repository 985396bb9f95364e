// What the model loses without a head, when somebody asks.
#include <utility>

#include "app/state/heads/ablation_words.h"
#include "app/state/reducer_class.h"

namespace headscope {

void Reducer::On(const AblateHead& /*action*/) {
  AblationState& ablation = state_.ablation;
  auto question = AblationQuestion(state_);
  // The worker has the model that is open.
  if (!question || state_.model == nullptr || question->fingerprint != state_.model->fingerprint ||
      !state_.opening_folder.empty() || (ablation.request != 0 && ablation.wanted == question)) {
    return;
  }
  if (const AblationReport* const there = AblationInView(state_);
      there != nullptr && there->is_whole()) {
    return;
  }
  ablation.faulty.reset();
  ablation.fault.clear();
  ablation.wanted = std::move(question);
  ablation.request = Send(AblationJob{.head = ablation.wanted->head,
                                      .on_repeats = ablation.wanted->on_repeats,
                                      .settings = ablation.wanted->texts,
                                      .probes = state_.probes_folder,
                                      .kept = state_.scans_folder,
                                      .opening = state_.model->opening});
}

void Reducer::On(const AblateOn& action) {
  state_.ablation.on_repeats = action.repeats;
}

void Reducer::AblationEvent(const Event& event) {
  AblationState& ablation = state_.ablation;
  if (const auto* ablated = std::get_if<HeadAblated>(&event.what)) {
    std::erase_if(ablation.found, [&](const auto& one) { return one.first == ablation.wanted; });
    ablation.found.emplace_back(*ablation.wanted, ablated->report);
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    ablation.request = 0;
    const auto wanted = std::exchange(ablation.wanted, std::nullopt);
    if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // may be asked for again once it is open
    } else if (failed->error.code != ErrorCode::kCancelled) {
      ablation.faulty = wanted;
      ablation.fault = failed->error.message;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    ablation.request = 0;
    ablation.wanted.reset();
  }
}

}  // namespace headscope
