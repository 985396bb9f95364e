#include "app/state/train/remembered.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/reducer_class.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

std::filesystem::path FolderOf(const TrainRunShown& run) {
  return run.sight == nullptr ? std::filesystem::path() : run.sight->folder;
}

enum class Opened { kYes, kGone, kNoRoom };

Opened OpenRun(const RememberedRun& run, Reducer* reducer) {
  TrainScreenState& train = reducer->state().train;
  const auto here = std::ranges::find(train.runs, std::filesystem::path(run.folder), FolderOf);
  TrainRunId id = 0;
  if (here != train.runs.end()) {
    id = here->id;
  } else {
    const auto kept =
        std::ranges::find(train.kept.runs, std::filesystem::path(run.folder), &KeptRun::folder);
    if (kept == train.kept.runs.end() || !kept->can_go_on || !TrainKnobsOf(kept->settings)) {
      return Opened::kGone;
    }
    if (train.runs.size() >= kMostTrainRuns) {
      return Opened::kNoRoom;
    }
    ResumeTraining{.folder = kept->folder, .trains = false}.Do(reducer);
    id = train.last_run;
  }
  if (run.looked) {
    LookAtTrainedStep{.run = id, .step = run.looked}.Do(reducer);
  }
  return Opened::kYes;
}

}  // namespace

std::optional<RememberedTraining> TrainingToRemember(const AppState& state) {
  const TrainScreenState& train = state.train;
  RememberedTraining training{.knobs = train.knobs, .shows_curves = train.curves.is_shown};
  for (const TrainRunShown& run : train.runs) {
    if (const std::filesystem::path folder = FolderOf(run); !folder.empty()) {
      training.runs.push_back({.folder = folder.string(), .looked = run.looked});
    }
  }
  // Those that are not opened yet, too.
  std::ranges::copy(train.remembered, std::back_inserter(training.runs));
  if (train.curves.chosen) {
    training.compared = train.curves.chosen->folder.string();
  }
  return training == RememberedTraining{} ? std::nullopt : std::optional(std::move(training));
}

void TakeTraining(const RememberedTraining& training, Reducer* reducer) {
  TrainScreenState& train = reducer->state().train;
  if (CheckTrainSettings(TrainSettingsOf(training.knobs))) {
    train.knobs = training.knobs;
  }
  train.remembered = training.runs;
  if (train.kept.is_read) {
    OpenRememberedRuns(reducer);
  }
  if (!training.compared.empty()) {
    ReadTrainFolder{training.compared}.Do(reducer);
  }
  if (train.curves.is_shown != training.shows_curves) {
    ShowTrainCurves{training.shows_curves}.Do(reducer);
  }
}

void OpenRememberedRuns(Reducer* reducer) {
  TrainScreenState& train = reducer->state().train;
  const std::vector<RememberedRun> runs = std::exchange(train.remembered, {});
  const bool shows_curves = train.curves.is_shown;
  std::int64_t gone = 0;
  std::int64_t without_room = 0;
  for (const RememberedRun& run : runs) {
    const Opened opened = OpenRun(run, reducer);
    gone += opened == Opened::kGone ? 1 : 0;
    without_room += opened == Opened::kNoRoom ? 1 : 0;
  }
  train.curves.is_shown = shows_curves;
  if (gone + without_room > 0) {
    train.words = fmt::format("Of the session's {}, {} did not open:",
                              Counted(std::ssize(runs), "run"),
                              gone + without_room);
    if (gone > 0) {
      train.words += fmt::format(
          " {} kept no longer (the newest {} are), or in another window", gone, kMostKeptRuns);
    }
    if (without_room > 0) {
      train.words += fmt::format("{} {} without room beside the others (at most {})",
                                 gone > 0 ? "," : "",
                                 without_room,
                                 kMostTrainRuns);
    }
    train.words += ".";
  }
}

}  // namespace headscope
