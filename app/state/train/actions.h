// What a person does with training runs, and what comes back of them. Part of app/state/actions.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/state/action.h"

namespace headscope {

struct SetTrainKnobs {
  TrainKnobs knobs;
  void Do(Reducer* reducer) const;
};
// One run for each number of heads, side by side; runs that are there make way where there are more
// than four. None: one with the knobs' own number.
struct BeginTraining {
  std::vector<std::int64_t> heads = {};
  void Do(Reducer* reducer) const;
};
struct PauseTraining {
  TrainRunId run = 0;
  void Do(Reducer* reducer) const;
};
struct GoOnTraining {
  TrainRunId run = 0;
  void Do(Reducer* reducer) const;
};
struct StepTraining {
  TrainRunId run = 0;
  void Do(Reducer* reducer) const;
};
// Shows the maps and numbers of a kept step; none: of the newest weights.
struct LookAtTrainedStep {
  TrainRunId run = 0;
  std::optional<std::int64_t> step = {};
  void Do(Reducer* reducer) const;
};
// Goes back to the kept step that is looked at, or to the one before the present one.
struct RewindTraining {
  TrainRunId run = 0;
  void Do(Reducer* reducer) const;
};
struct EndTraining {
  TrainRunId run = 0;
  void Do(Reducer* reducer) const;
};
// A kept step is written where such models are kept, and opened in Inspect.
struct OpenTrainedStep {
  TrainRunId run = 0;
  std::int64_t step = 0;
  void Do(Reducer* reducer) const;
};
struct SaveTraining {  // with its steps, where exports go
  TrainRunId run = 0;
  void Do(Reducer* reducer) const;
};
struct ShowTrainCurves {  // in place of the runs, or the runs again
  bool shows = true;
  void Do(Reducer* reducer) const;
};
struct ReadTrainFolder {  // its runs join the curves
  std::filesystem::path folder;
  void Do(Reducer* reducer) const;
};
void ForgetTrainFolder(Reducer* reducer);
// A run that is on disk goes on, or opens where it was.
struct ResumeTraining {
  std::filesystem::path folder;
  bool trains = true;
  void Do(Reducer* reducer) const;
};
struct DiscardTraining {
  std::filesystem::path folder;
  void Do(Reducer* reducer) const;
};
struct ShowKeptRuns {  // in place of the runs
  void Do(Reducer* reducer) const;
};
struct KeptRunsFound {
  std::vector<KeptRun> runs;
  std::string fault = {};
  void Do(Reducer* reducer) const;
};
struct TrainingSeen {
  TrainNews news;
  const ScreenKind* inspect = nullptr;  // the screen that opens a step
  void Do(Reducer* reducer) const;
};

}  // namespace headscope
