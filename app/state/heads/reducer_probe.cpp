// Texts that a person chose to score heads on, in place of the bundled probe.
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/reducer_class.h"
#include "core/base/home_path.h"

namespace headscope {

void Reducer::On(const EditProbePath& action) {
  state_.dialogs.probe_path = action.path;
}

void Reducer::On(const ChooseProbe& action) {
  ProbeScanState& own = state_.probe_scan;
  ChosenProbe chosen = action.probe;
  if (chosen.kind == ProbeKind::kFile) {
    state_.dialogs.probe_path = chosen.file.string();
    chosen.file = ExpandHome(chosen.file.string());
  }
  ClearNotice(ErrorPlace::kProbe);
  ClearNotice(ErrorPlace::kOffer);
  if (chosen != own.probe) {
    own.gives_roles = false;
  }
  own.probe = std::move(chosen);
  own.is_stopped = false;
  own.asked = ++own.last;  // what the file holds now
  if (own.probe.kind == ProbeKind::kBundled && own.request != 0) {
    effects_.emplace_back(std::in_place_type<Cancel>, Cancel{own.request});
  }
  if (state_.dialogs.popup == Popup::kProbe) {
    state_.dialogs.popup = Popup::kNone;
  }
}

// Wherever it is dropped, its scores are looked at where scores are.
void Reducer::On(const DropProbe& action) {
  if (!state_.screen->wants_scores) {
    On(SetScreen{action.screen});
  }
  On(ChooseProbe{{ProbeKind::kFile, action.path}});
}

// The text has become the sentence; what else it may be for is a question.
void Reducer::On(const OfferProbe& action) {
  if (state_.model == nullptr || state_.model->file != nullptr ||
      state_.model->reads_embeddings()) {
    return;
  }
  const std::string name = action.path.filename().string();
  Notify(ErrorPlace::kOffer,
         action.has_mentions
             ? fmt::format("{}: it is the sentence now. It has [mentions] as WinoBias' lines do: "
                           "heads can be scored on them.",
                           name)
             : fmt::format("{}: its {} lines are one sentence now. Heads can be scored on them, "
                           "each line a text of its own.",
                           name,
                           action.lines));
  state_.notices.back().probe = action.path;
}

void Reducer::On(const GoOnWithProbe& /*action*/) {
  ProbeScanState& own = state_.probe_scan;
  if (CanGoOn(state_)) {
    own.is_stopped = false;
    own.wanted = 0;  // asked for again, as it was
  }
}

void Reducer::On(const StopProbe& /*action*/) {
  if (state_.probe_scan.request != 0) {
    effects_.emplace_back(std::in_place_type<Cancel>, Cancel{state_.probe_scan.request});
  }
}

void Reducer::On(const TakeRolesFrom& action) {
  state_.probe_scan.gives_roles = action.own;
}

void Reducer::EnsureProbeScan() {
  ProbeScanState& own = state_.probe_scan;
  if (own.probe.kind == ProbeKind::kBundled || !state_.opening_folder.empty() ||
      (state_.shown.model != state_.model && !AwaitsChoice(state_)) ||
      (own.wanted_of == state_.model && own.wanted == own.asked)) {
    return;
  }
  own.wanted_of = state_.model;
  own.wanted = own.asked;
  own.under_way = nullptr;
  own.is_stopped = false;
  own.request = Send(ProbeScanJob{.probe = own.probe,
                                  .asked = own.asked,
                                  .probes = state_.probes_folder,
                                  .token_maps = TokenMapsOf(state_),
                                  .kept = state_.scans_folder,
                                  .opening = state_.model->opening});
}

// What is shown stays: the scores before, else those on the bundled probe.
void Reducer::ForgetChoice() {
  ProbeScanState& own = state_.probe_scan;
  const bool has_before = own.report != nullptr && own.of == state_.model;
  own.probe = has_before ? own.report->probe : ChosenProbe{};
  own.gives_roles = own.gives_roles && has_before;
  own.asked = own.wanted = own.found;
  own.is_stopped = has_before && !own.report->is_whole();
}

void Reducer::ProbeScanEvent(const Event& event) {
  ProbeScanState& own = state_.probe_scan;
  if (const auto* scanned = std::get_if<HeadsScanned>(&event.what)) {
    own.under_way = scanned->report;
    if (!scanned->report->sentences) {
      return;
    }
    const bool is_first = own.found != own.wanted || own.of != own.wanted_of;
    own.report = scanned->report;
    own.of = own.wanted_of;
    own.found = own.wanted;
    const std::string first = is_first ? FirstMetricOf(*own.report) : "";
    if (!first.empty()) {
      state_.heads_look.metric = first;
    }
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    own.request = 0;
    own.under_way = nullptr;
    const bool has_scores = own.found == own.wanted && own.of == own.wanted_of;
    if (failed->error.code == ErrorCode::kGone) {
      own.wanted_of = nullptr;
      OpenAgain(WorkOf(state_.model.get()));
    } else if (failed->error.code != ErrorCode::kCancelled) {
      Notify(ErrorPlace::kProbe, failed->error.message);
      ForgetChoice();
    } else if (own.wanted_of != state_.model || !state_.opening_folder.empty()) {
      own.wanted_of = nullptr;  // another model is opened: if that fails, it is asked for again
    } else if (own.probe.kind != ProbeKind::kBundled) {
      own.is_stopped = has_scores;
      if (!has_scores) {
        ForgetChoice();
      }
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    own.request = 0;
    own.under_way = nullptr;
  }
}

}  // namespace headscope
