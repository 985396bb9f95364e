// What a person does with the scores of all heads. Part of app/state/actions.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/state/action.h"

namespace headscope {

using SetHeadsView = Set<&AppState::heads_look, &HeadsLook::view>;
struct ShowMetric {
  std::string metric;
  bool second = false;  // upright in the scatter
  void Do(Reducer* reducer) const;
};
struct SortHeads {  // the list; the order that it has: the other way round
  HeadsOrder order = HeadsOrder::kScore;
  void Do(Reducer* reducer) const;
};
// Shows only heads of which flag and suggestion stand so; none: all heads.
using ShowOnly = Set<&AppState::heads_look, &HeadsLook::only>;
struct ScanHeads {  // with other settings, or on from where it was stopped
  HeadScanSettings settings;
  void Do(Reducer* reducer) const;
};
void FindRoles(Reducer* reducer);  // scans the open model, whatever the screen
// The whole scans that the preferences have kept.
using WholeScansAre = Set<&AppState::scan, &HeadScanState::whole>;

// --- texts of one's own
using EditProbePath = Set<&AppState::dialogs, &Dialogs::probe_path>;
struct ChooseProbe {  // what the screen's scores are of; the same again: what the file holds now
  ChosenProbe probe;
  void Do(Reducer* reducer) const;
};
struct DropProbe {  // or typed: opens the screen of scores, and is chosen there
  std::filesystem::path path;
  const ScreenKind* screen = &kNoScreen;
  void Do(Reducer* reducer) const;
};
struct OfferProbe {  // a dropped text that heads can be scored on as well
  std::filesystem::path path;
  std::int64_t lines = 0;
  bool has_mentions = false;  // in [brackets], as WinoBias' lines
  void Do(Reducer* reducer) const;
};
void StopProbe(Reducer* reducer);
void GoOnWithProbe(Reducer* reducer);  // from where it was stopped
// True: roles come from the chosen texts; false: from the bundled probe.
using TakeRolesFrom = Set<&AppState::probe_scan, &ProbeScanState::gives_roles>;

void AblateHead(Reducer* reducer);  // the selected one: what the model loses without it
// True: on repeats; false: on sentences.
using AblateOn = Set<&AppState::ablation, &AblationState::on_repeats>;

// --- models in a row
struct ShowSeries {
  SeriesKind kind = SeriesKind::kCheckpoints;
  void Do(Reducer* reducer) const;
};
struct ScanSeries {  // on from where it was stopped, or what failed once more; else it stops
  bool go = true;
  void Do(Reducer* reducer) const;
};
struct OpenSeriesHead {  // the model, and in it that head
  std::filesystem::path folder;
  HeadIndex head;
  void Do(Reducer* reducer) const;
};

}  // namespace headscope
