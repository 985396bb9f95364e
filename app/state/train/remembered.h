// Training in a session: the knobs, and runs by the folders that they are kept in. They open again paused,
// where they stand by then.
//
// Threads  UI thread; no disk.
// Source   our own format, in a session's "view": "training".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/state/train/state.h"

namespace headscope {

struct AppState;
class Reducer;

struct RememberedTraining {
  TrainKnobs knobs;
  std::vector<RememberedRun> runs = {};
  std::string compared = {};  // the folder whose runs join the curves; empty: none
  bool shows_curves = false;
  friend bool operator==(const RememberedTraining&, const RememberedTraining&) = default;
};

// nullopt: nothing was trained or chosen.
[[nodiscard]] std::optional<RememberedTraining> TrainingToRemember(const AppState& state);
// Runs open beside those that are here, as soon as it is known which are kept.
void TakeTraining(const RememberedTraining& training, Reducer* reducer);
// Does that, and says which did not open and why.
void OpenRememberedRuns(Reducer* reducer);

}  // namespace headscope
