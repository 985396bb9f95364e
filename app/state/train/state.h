// What the state holds of training: the knobs for the next run, and the runs side by side.
//
// Threads  UI thread; what runs publish is shared and immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "core/train/settings.h"
#include "core/worker/train_crew.h"
#include "core/worker/train_curves.h"

namespace headscope {

inline constexpr std::size_t kMostTrainRuns = 4;

// What a person chooses; the rest follows from it (TrainSettingsOf).
struct TrainKnobs {
  TrainTask task = TrainTask::kCopy;
  std::int64_t heads = 4;
  std::int64_t head_dim = 0;  // 0: model_dim / heads
  std::int64_t layers = 2;
  double rate = 3e-3;
  std::uint64_t seed = 1;
  double spread = 0.1;
  bool alike = false;
  double noise = 0.0;
  bool ones = false;
  bool own_segments = false;
  double disagreement = 0.0;
  // What prevents induction.
  bool mlp = false;
  bool tied = false;
  bool sinusoids = false;
  bool fixed_period = false;

  // Weights that are all one are alike already, and heads that read other columns cannot be.
  [[nodiscard]] bool StartAlike() const { return alike && !ones && !own_segments; }
  friend bool operator==(const TrainKnobs&, const TrainKnobs&) = default;
};

[[nodiscard]] TrainSettings TrainSettingsOf(const TrainKnobs& knobs);
// What the knobs would have to be; empty: no knobs make such a run.
[[nodiscard]] std::optional<TrainKnobs> TrainKnobsOf(const TrainSettings& settings);

// "copy, h 4, alike"
[[nodiscard]] std::string TrainKnobWords(const TrainKnobs& knobs);

struct TrainRunShown {
  TrainRunId id = 0;
  TrainKnobs knobs;
  std::shared_ptr<const TrainSight> sight;  // null: it has just begun
  std::optional<std::int64_t> looked = {};  // a kept step; none: the newest weights

  // The kept step that is looked at; null until it is measured, and of the newest weights.
  [[nodiscard]] const TrainLook* Look() const;
  // What is shown: of that step, else of the newest weights; null until they are measured.
  [[nodiscard]] const TrainScored* Scored() const;
  [[nodiscard]] const std::vector<std::shared_ptr<const LayerAttention>>& Layers() const;
};

// A run of a session: the folder that it is kept in.
struct RememberedRun {
  std::string folder;
  std::optional<std::int64_t> looked = {};  // the kept step that was looked at
  friend bool operator==(const RememberedRun&, const RememberedRun&) = default;
};

// Training runs of a folder that a person chose; asked for again by another number.
struct RunsQuestion {
  std::filesystem::path folder;
  std::int64_t number = 0;
  friend bool operator==(const RunsQuestion&, const RunsQuestion&) = default;
};

// Curves of all runs by their number of heads.
struct TrainCurvesState {
  bool is_shown = false;         // in place of the runs
  std::vector<NamedTrain> past;  // of runs that are gone, the newest first
  std::optional<RunsQuestion> chosen = {};
  Asked<RunsQuestion, std::vector<NamedTrain>> read;
  std::shared_ptr<const TrainingCurves> curves = {};  // null: there is no run to draw
};

// Runs on disk that no window has, the newest first.
struct KeptRunsState {
  std::vector<KeptRun> runs;
  bool is_read = false;   // which there are is known
  bool is_shown = false;  // in place of the runs
};

// "copy, h 4, seed 1: stopped at step 1,300"
[[nodiscard]] std::string KeptRunWords(const KeptRun& run);

struct TrainScreenState {
  TrainKnobs knobs;
  std::vector<TrainRunShown> runs;
  TrainRunId last_run = 0;
  std::string words;  // of what was written or refused last
  TrainCurvesState curves;
  KeptRunsState kept;
  std::vector<RememberedRun> remembered =
      {};  // of a session; they open once it is known which are kept
};

}  // namespace headscope
