// What the model loses without a head, when somebody asks.
#include <utility>

#include "app/state/heads/ablation_words.h"
#include "app/state/work.h"

namespace headscope {

void AblateHead(Reducer* reducer) {
  AppState& state = reducer->state();
  AblationState& ablation = state.ablation;
  auto question = AblationQuestion(state);
  // The worker has the model that is open.
  if (!question || state.model == nullptr || question->fingerprint != state.model->fingerprint ||
      !state.opening_folder.empty() || (ablation.request != 0 && ablation.wanted == question)) {
    return;
  }
  if (const AblationReport* const there = AblationInView(state);
      there != nullptr && there->is_whole()) {
    return;
  }
  ablation.faulty.reset();
  ablation.fault.clear();
  ablation.wanted = std::move(question);
  ablation.Begin(reducer->Send(AblationJob{.head = ablation.wanted->head,
                                           .on_repeats = ablation.wanted->on_repeats,
                                           .settings = ablation.wanted->texts,
                                           .probes = state.probes_folder,
                                           .kept = state.scans_folder,
                                           .opening = state.model->opening}));
}

namespace {

void HearAblation(Reducer* reducer, const Event& event) {
  AblationState& ablation = reducer->state().ablation;
  if (const auto* ablated = std::get_if<HeadAblated>(&event.what)) {
    std::erase_if(ablation.found, [&](const auto& one) { return one.first == ablation.wanted; });
    ablation.found.emplace_back(*ablation.wanted, ablated->report);
    return;
  }
  const auto wanted = std::exchange(ablation.wanted, std::nullopt);
  const Error* const error = FailureOf(event);
  // A model that is gone may be asked again once it is open.
  if (error != nullptr && error->code != ErrorCode::kGone && error->code != ErrorCode::kCancelled) {
    ablation.faulty = wanted;
    ablation.fault = error->message;
  }
}

Progress AblationProgress(const AppState& state) {
  const AblationReport* const report = AblationUnderWay(state);
  return {report != nullptr ? report->done : 0,
          report != nullptr ? report->total : 0,
          AblatingWords(state)};
}

}  // namespace

template <>
std::vector<Work> WorksOf<AblationJob>() {
  return {At<&AppState::ablation>(
      {.progress = AblationProgress, .is_long = true, .hear = HearAblation})};
}

}  // namespace headscope
