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
  if (!state.screen->compares) {
    return;
  }
  for (auto& question : {HeadsToPatch(state), LayersToPatch(state)}) {
    if (!question || patching.fault_of == question->pair) {
      continue;
    }
    const bool is_answered = std::ranges::any_of(patching.answers, [&](const auto& answer) {
      return answer.of == *question && answer.patched->is_whole();
    });
    if (is_answered || WaitsToPatch(state, *question)) {
      continue;
    }
    if (patching.wanted != question) {
      patching.Begin(reducer->Send(PatchJob{.corrupted = question->pair.corrupted,
                                            .right = question->pair.right,
                                            .wrong = question->pair.wrong,
                                            .row = question->pair.row,
                                            .at = question->at,
                                            .what = question->what,
                                            .direction = question->pair.direction,
                                            .paths = question->paths,
                                            .pairs = question->pair.file.path,
                                            .kept = state.scans_folder,
                                            .opening = state.model->opening}));
      patching.wanted = question;
    }
    return;
  }
}

void HearPatched(Reducer* reducer, const Event& event) {
  CompareState& compare = reducer->state().compare;
  PatchingState& patching = compare.patching;
  if (const auto* const ready = std::get_if<TextsPatched>(&event.what)) {
    if (patching.wanted) {
      std::erase_if(patching.answers,
                    [&](const auto& answer) { return answer.of == *patching.wanted; });
      patching.answers.push_back({*patching.wanted, ready->patched});
      if (patching.answers.size() > kMostPatchAnswers) {
        patching.answers.erase(patching.answers.begin());
      }
      if (!ready->patched->file.empty()) {
        patching.file_in_view = patching.wanted->pair.file;
      }
    }
    return;
  }
  const auto wanted = std::exchange(patching.wanted, std::nullopt);
  const Error* const error = FailureOf(event);
  if (error == nullptr || error->code == ErrorCode::kGone || !wanted) {
    return;
  }
  const AppState& state = reducer->state();
  if (error->code == ErrorCode::kCancelled) {
    if (wanted == HeadsToPatch(state) || wanted == LayersToPatch(state)) {  // by a person
      patching.stopped = wanted->pair;
      patching.allowed.clear();
    }
  } else if (wanted->pair.file.path.empty()) {
    patching.fault = error->message;
    patching.fault_of = wanted->pair;
  } else if (wanted->pair.file == compare.patch_look.file) {  // what was there before stays
    patching.file_fault = error->message;
    const bool was_it = patching.file_in_view == wanted->pair.file;
    compare.patch_look.file = was_it ? PatchFile{} : patching.file_in_view;
  }
}

// In place of divergences or weights.
PatchLook& ShowPatching(Reducer* reducer) {
  CompareState& compare = reducer->state().compare;
  compare.look.shows_weights = false;
  compare.patch_look.is_shown = true;
  return compare.patch_look;
}

Progress PatchProgress(const AppState& state) {
  Progress progress = state.compare.patching.progress;
  progress.what = progress.what.empty() ? "patching" : progress.what;
  return progress;
}

}  // namespace

void SetPatchLook::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  compare.patch_look = look;
  compare.look.shows_weights = compare.look.shows_weights && !look.is_shown;
}

void PatchNow(Reducer* reducer) {
  PatchingState& patching = reducer->state().compare.patching;
  for (const auto& question : {HeadsToPatch(reducer->state()), LayersToPatch(reducer->state())}) {
    if (question) {
      patching.allowed.push_back(question->pair);
    }
  }
  patching.stopped.reset();
}

void PatchPairsOf::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  PatchingState& patching = compare.patching;
  patching.file_fault.clear();
  patching.stopped.reset();
  compare.patch_look.file = {};
  if (file.empty()) {
    patching.file_in_view = {};
  } else {
    ShowPatching(reducer).file = {file, ++patching.files_asked};
  }
}

void PatchPath::Do(Reducer* reducer) const {
  PatchLook& look = ShowPatching(reducer);
  look.direction = PatchDirection::kNoise;
  look.paths.is_shown = true;
  look.paths.input = to.input;
  look.paths.to = {to.head};
  ShowHead{sender}.Do(reducer);
}

void PatchHead::Do(Reducer* reducer) const {
  PatchLook& look = ShowPatching(reducer);
  look.paths.is_shown = false;
  ShowHead{head}.Do(reducer);
}

void PatchMlps(Reducer* reducer) {
  PatchLook& look = ShowPatching(reducer);
  look.of_layers = PatchWhat::kMlp;
}

template <>
std::vector<Work> WorksOf<PatchJob>() {
  return {At<kPatching>(
      {.progress = PatchProgress, .is_long = true, .ensure = EnsurePatched, .hear = HearPatched})};
}

}  // namespace headscope
