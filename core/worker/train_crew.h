// Training runs side by side: one thread each, which does a step after another, measures the heads
// now and then, and publishes what there is to see.
//
// Errors   as values: TrainSight::fault says why a run ended; TrainWritten::fault why there is no
//          folder.
// Threads  everything is called by one thread, the window's; `wake` is called by the runs.
// Cost     a run that is paused takes no processor time. Runs stop within 50 ms; the destructor waits
//          for them. Kept steps stay in memory: three arrays of the weights each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/train/record.h"
#include "core/train/settings.h"

namespace headscope {

using TrainRunId = std::int64_t;

struct TrainPoint {
  std::int64_t step = 0;
  double loss = 0.0;  // the mean since the last point
};

// What was measured at a step.
struct TrainScored {
  std::int64_t step = 0;
  TrainMeasures measures = {};
  HeadTable moved = {};      // from the first weights, in parts of their norm
  HeadTable gradients = {};  // norms at the last step, before it was clipped; empty: none was done
  std::optional<double> loss = {};  // of the last step's batch, before its update
};

// The curve of a run: its measured steps that every run has, as headscope train writes them.
[[nodiscard]] std::vector<TrainLine> LinesOf(std::span<const TrainScored> scored);

// A kept step that was asked for, measured again.
struct TrainLook {
  TrainScored scored;
  std::vector<std::shared_ptr<const LayerAttention>> layers = {};
};

// What there is to see of a run, published as a whole.
struct TrainSight {
  TrainRunId run = 0;
  std::int64_t step = 0;
  bool is_running = false;
  std::string fault = {};  // why it ended; empty: it did not
  std::vector<TrainPoint> losses = {};
  std::vector<TrainScored> scored = {};  // the last one is of the maps
  // On a row that is never trained on.
  std::vector<std::shared_ptr<const LayerAttention>> layers = {};
  std::shared_ptr<const TrainLook> look = {};  // the last one; null: none was asked for
  std::vector<std::int64_t> kept = {};         // steps that can be gone back to, opened, saved
  double step_milliseconds = 0.0;
};

// A folder was written, or why not.
struct TrainWritten {
  TrainRunId run = 0;
  std::filesystem::path folder = {};
  bool is_to_open = false;
  std::string fault = {};
};

struct TrainNews {
  // The newest of each run that has one.
  std::vector<std::shared_ptr<const TrainSight>> sights = {};
  std::vector<TrainWritten> written = {};
};

class TrainCrew {
 public:
  explicit TrainCrew(std::function<void()> wake);
  ~TrainCrew();
  TrainCrew(const TrainCrew&) = delete;
  TrainCrew& operator=(const TrainCrew&) = delete;

  // Begins a run with a number that no run had before; it runs until it is paused.
  void Begin(TrainRunId run, const TrainSettings& settings);
  // These do nothing where there is no such run.
  void Pause(TrainRunId run);
  void GoOn(TrainRunId run);
  void StepOnce(TrainRunId run);                   // one step, then it is paused
  void GoBack(TrainRunId run, std::int64_t step);  // to a kept step; it is paused
  // Measures a kept step, for its maps; the run goes on as it was.
  void Look(TrainRunId run, std::int64_t step);
  void End(TrainRunId run);
  // Writes a kept step, or all of them with the present weights, as a folder; where one is
  // there already, its name gets a number.
  void WriteStep(TrainRunId run, std::int64_t step, const std::filesystem::path& folder);
  void WriteAll(TrainRunId run, const std::filesystem::path& folder);

  [[nodiscard]] TrainNews Drain();

 private:
  class Member;
  void Tell(TrainRunId run, const std::function<void(Member*)>& what);

  std::function<void()> wake_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace headscope
