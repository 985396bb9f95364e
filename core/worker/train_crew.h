// Training runs side by side: one thread each, which does a step after another, measures the heads
// now and then, and publishes what there is to see.
//
// Errors   as values: TrainSight::fault says why a run ended; TrainWritten::fault why there is no
//          folder.
// Threads  everything is called by one thread, the window's; `wake` is called by the runs. Drain waits for
//          no run, and what a run has told is freed by the run.
// Cost     a run that is paused takes no processor time. Runs stop within 50 ms, then write what is not
//          yet on disk; the destructor waits for them, and nothing else does. Kept steps stay in memory:
//          three arrays of the weights each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/train/settings.h"
#include "core/worker/train_sight.h"

namespace headscope {

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
  bool shelf_changed = false;  // a run has a folder of its own now, or has let go of it
};

class TrainCrew {
 public:
  explicit TrainCrew(std::function<void()> wake);
  ~TrainCrew();
  TrainCrew(const TrainCrew&) = delete;
  TrainCrew& operator=(const TrainCrew&) = delete;

  // Begins a run with a number that no run had before; it runs until it is paused.
  void Begin(TrainRunId run, const TrainSettings& settings, TrainPlace place = {});
  // The same with a run of a shelf; it trains, or is paused where it was.
  void Resume(TrainRunId run, const std::filesystem::path& folder, bool trains);
  // These do nothing where there is no such run.
  void Pause(TrainRunId run);
  void GoOn(TrainRunId run);
  void StepOnce(TrainRunId run);                   // one step, then it is paused
  void GoBack(TrainRunId run, std::int64_t step);  // to a kept step; it is paused
  // Measures a kept step, for its maps; the run goes on as it was.
  void Look(TrainRunId run, std::int64_t step);
  // Nothing more is told of it. It is kept as one that was closed, without its caller's waiting.
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
  std::vector<std::unique_ptr<Member>> ending_;
};

}  // namespace headscope
