// Patching between the two texts of Compare.
#include <algorithm>
#include <utility>

#include "app/state/compare/patching.h"
#include "app/state/work.h"

namespace headscope {
namespace {

constexpr std::size_t kMostPatchAnswers = 32;

constexpr auto kPatching = [](auto& state) -> auto& {
  auto& compare = state.compare;
  return compare.patching;
};

void EnsurePatched(Reducer* reducer) {
  const AppState& state = reducer->state();
  PatchingState& patching = reducer->state().compare.patching;
  const auto pair = state.screen->compares ? PatchPairNow(state) : std::nullopt;
  if (!pair || patching.fault_of == pair) {
    return;
  }
  const PatchLook& look = state.compare.patch_look;
  for (const PatchWhat what : {look.of_heads, look.of_layers}) {
    PatchingState::Question question{*pair, what};
    const bool is_answered = std::ranges::any_of(patching.answers, [&](const auto& answer) {
      return answer.of == question && answer.patched->is_whole();
    });
    if (is_answered || WaitsToPatch(state, what)) {
      continue;
    }
    if (patching.wanted != question) {
      patching.Begin(reducer->Send(PatchJob{.corrupted = pair->corrupted,
                                            .right = pair->right,
                                            .wrong = pair->wrong,
                                            .row = pair->row,
                                            .what = what,
                                            .direction = pair->direction,
                                            .opening = state.model->opening}));
      patching.wanted = std::move(question);
    }
    return;
  }
}

void HearPatched(Reducer* reducer, const Event& event) {
  PatchingState& patching = reducer->state().compare.patching;
  if (const auto* const ready = std::get_if<TextsPatched>(&event.what)) {
    if (patching.wanted) {
      std::erase_if(patching.answers,
                    [&](const auto& answer) { return answer.of == *patching.wanted; });
      patching.answers.push_back({*patching.wanted, ready->patched});
      if (patching.answers.size() > kMostPatchAnswers) {
        patching.answers.erase(patching.answers.begin());
      }
    }
    return;
  }
  const auto wanted = std::exchange(patching.wanted, std::nullopt);
  const Error* const error = FailureOf(event);
  if (error == nullptr || error->code == ErrorCode::kGone || !wanted) {
    return;
  }
  if (error->code != ErrorCode::kCancelled) {
    patching.fault = error->message;
    patching.fault_of = wanted->pair;
  } else if (wanted->pair == PatchPairNow(reducer->state())) {  // by a person
    patching.stopped = wanted->pair;
    patching.allowed.reset();
  }
}

Progress PatchProgress(const AppState& state) {
  Progress progress = state.compare.patching.progress;
  progress.what = progress.what.empty() ? "patching" : progress.what;
  return progress;
}

}  // namespace

void PatchNow(Reducer* reducer) {
  PatchingState& patching = reducer->state().compare.patching;
  patching.allowed = PatchPairNow(reducer->state());
  patching.stopped.reset();
}

template <>
std::vector<Work> WorksOf<PatchJob>() {
  return {At<kPatching>(
      {.progress = PatchProgress, .is_long = true, .ensure = EnsurePatched, .hear = HearPatched})};
}

}  // namespace headscope
