// Texts that a person chose to score heads on, in place of the bundled probe.
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/heads/scores.h"
#include "app/state/work.h"
#include "core/base/home_path.h"

namespace headscope {

void ChooseProbe::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  ProbeScanState& own = state.probe_scan;
  ChosenProbe chosen = probe;
  if (chosen.kind == ProbeKind::kFile) {
    state.dialogs.probe_path = chosen.file.string();
    chosen.file = ExpandHome(chosen.file.string());
  }
  reducer->ClearNotice(ErrorPlace::kProbe);
  reducer->ClearNotice(ErrorPlace::kOffer);
  if (chosen != own.probe) {
    own.gives_roles = false;
  }
  own.probe = std::move(chosen);
  own.is_stopped = false;
  own.asked = ++own.last;  // what the file holds now
  if (own.probe.kind == ProbeKind::kBundled) {
    reducer->Stop(own.request);
  }
  if (state.dialogs.popup == Popup::kProbe) {
    state.dialogs.popup = Popup::kNone;
  }
}

// Wherever it is dropped, its scores are looked at where scores are.
void DropProbe::Do(Reducer* reducer) const {
  if (!reducer->state().screen->wants_scores) {
    SetScreen{screen}.Do(reducer);
  }
  ChooseProbe{{ProbeKind::kFile, path}}.Do(reducer);
}

// The text has become the sentence; what else it may be for is a question.
void OfferProbe::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (!CanScore(state)) {
    return;
  }
  const std::string name = path.filename().string();
  reducer->Notify(
      ErrorPlace::kOffer,
      has_mentions
          ? fmt::format("{}: it is the sentence now. It has [mentions] as WinoBias' lines do: "
                        "heads can be scored on them.",
                        name)
          : fmt::format("{}: its {} lines are one sentence now. Heads can be scored on them, "
                        "each line a text of its own.",
                        name,
                        lines));
  state.notices.back().probe = path;
}

void GoOnWithProbe(Reducer* reducer) {
  ProbeScanState& own = reducer->state().probe_scan;
  if (CanGoOn(reducer->state())) {
    own.is_stopped = false;
    own.wanted = 0;  // asked for again, as it was
  }
}

void StopProbe(Reducer* reducer) {
  reducer->Stop(reducer->state().probe_scan.request);
}

namespace {

void EnsureProbeScan(Reducer* reducer) {
  const AppState& state = reducer->state();
  ProbeScanState& own = reducer->state().probe_scan;
  if (!WantsScores(state) || own.probe.kind == ProbeKind::kBundled ||
      !state.opening_folder.empty() || (state.shown.model != state.model && !AwaitsChoice(state)) ||
      (own.wanted_of == state.model && own.wanted == own.asked)) {
    return;
  }
  own.wanted_of = state.model;
  own.wanted = own.asked;
  own.under_way = nullptr;
  own.is_stopped = false;
  own.Begin(reducer->Send(ProbeScanJob{.probe = own.probe,
                                       .asked = own.asked,
                                       .probes = state.probes_folder,
                                       .token_maps = TokenMapsOf(state),
                                       .kept = state.scans_folder,
                                       .opening = state.model->opening}));
}

// What is shown stays: the scores before, else those on the bundled probe.
void ForgetChoice(AppState* state) {
  ProbeScanState& own = state->probe_scan;
  const bool has_before = own.report != nullptr && own.of == state->model;
  own.probe = has_before ? own.report->probe : ChosenProbe{};
  own.gives_roles = own.gives_roles && has_before;
  own.asked = own.wanted = own.found;
  own.is_stopped = has_before && !own.report->is_whole();
}

void TakeProbeScan(const std::shared_ptr<const HeadScanReport>& report, AppState* state) {
  ProbeScanState& own = state->probe_scan;
  own.under_way = report;
  if (!report->sentences) {
    return;
  }
  const bool is_first = own.found != own.wanted || own.of != own.wanted_of;
  own.report = report;
  own.of = own.wanted_of;
  own.found = own.wanted;
  const std::string first = is_first ? FirstMetricOf(*report) : "";
  if (!first.empty()) {
    state->heads_look.metric = first;
  }
}

void HearProbeScan(Reducer* reducer, const Event& event) {
  AppState& state = reducer->state();
  ProbeScanState& own = state.probe_scan;
  if (const auto* scanned = std::get_if<HeadsScanned>(&event.what)) {
    TakeProbeScan(scanned->report, &state);
    return;
  }
  own.under_way = nullptr;
  const Error* const error = FailureOf(event);
  if (error == nullptr) {
    return;
  }
  const bool has_scores = own.found == own.wanted && own.of == own.wanted_of;
  const bool is_cancelled = error->code == ErrorCode::kCancelled;
  const bool opens_another = own.wanted_of != state.model || !state.opening_folder.empty();
  if (error->code == ErrorCode::kGone || (is_cancelled && opens_another)) {
    own.wanted_of = nullptr;  // if another model fails to open, it is asked for again
  } else if (!is_cancelled) {
    reducer->Notify(ErrorPlace::kProbe, error->message);
    ForgetChoice(&state);
  } else if (own.probe.kind != ProbeKind::kBundled) {
    own.is_stopped = has_scores;
    if (!has_scores) {
      ForgetChoice(&state);
    }
  }
}

Progress ProbeProgress(const AppState& state) {
  const HeadScanReport* const own = state.probe_scan.under_way.get();
  return {own != nullptr ? own->done : 0, own != nullptr ? own->total : 0, ProbeScanWords(state)};
}

}  // namespace

template <>
std::vector<Work> WorksOf<ProbeScanJob>() {
  return {At<&AppState::probe_scan>({.progress = ProbeProgress,
                                     .is_long = true,
                                     .ensure = EnsureProbeScan,
                                     .hear = HearProbeScan})};
}

}  // namespace headscope
