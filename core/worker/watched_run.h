// A training run with what is seen of it: measured now and then, gone back in, looked at, written; and kept
// on disk as it trains (core/train/run_keeper.h).
//
// Errors   of Make and Open: settings that do not fit, a folder that cannot be gone on from. Afterwards as
//          words in its sight.
// Threads  one thread uses it, not the drawing one.
// Cost     kept steps stay in memory: three arrays of the weights each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/train/measure.h"
#include "core/train/run.h"
#include "core/train/run_keeper.h"
#include "core/worker/train_sight.h"

namespace headscope {

class WatchedRun {
 public:
  [[nodiscard]] static Result<std::unique_ptr<WatchedRun>> Make(const TrainSettings& settings,
                                                                TrainPlace place);
  // One that is in a shelf, as it was.
  [[nodiscard]] static Result<std::unique_ptr<WatchedRun>> Open(
      const std::filesystem::path& folder);

  [[nodiscard]] std::int64_t step() const { return run_.state().step; }
  // Its steps and kept steps are those of the run as it is now.
  [[nodiscard]] TrainSight& sight() { return sight_; }
  void RenewSight();

  // Whether a step was done: it was not where it was stopped, or the loss diverges (sight().fault).
  // Of single steps every one is a point of the curve.
  bool Step(const std::stop_token& stop, bool is_single);
  void GoBack(std::int64_t step);  // to a kept step
  // Whether it was done, or cannot be: where it is stopped what is seen is as before.
  bool Measure(const std::stop_token& stop);
  [[nodiscard]] bool MeasuresNow() const;  // whether every run is measured at this step
  bool Look(std::int64_t step, const std::stop_token& stop);  // as Measure

  // Whether the step that was just done is to be on disk.
  [[nodiscard]] bool KeepsNow() const;
  // Writes the run where it is kept, unless the disk has it already; true: there is news of it in
  // sight().unkept, or it got its folder. A closed run without a step is removed. Where it is stopped,
  // between two files, the next call writes it.
  bool KeepOnDisk(bool is_closed, const std::stop_token& stop);

  // A kept step, or all with the present weights.
  [[nodiscard]] Status WriteStep(const std::filesystem::path& folder, std::int64_t step) const;
  [[nodiscard]] Status WriteAll(const std::filesystem::path& folder) const;

 private:
  explicit WatchedRun(TrainRun run);
  void Restore(TrainState state);
  void KeepStep();
  [[nodiscard]] Result<TrainScored> ScoreOf(const TrainState& state, const std::stop_token& stop);
  [[nodiscard]] std::vector<std::shared_ptr<const LayerAttention>> LayersNow() const;
  [[nodiscard]] bool DiskHas(const RunMark& mark) const;

  TrainRun run_;
  TrainMeter meter_;
  TrainSight sight_;
  std::vector<TrainState> kept_;
  // Of the step that led to the present weights: one that is stopped leaves the run's half done.
  HeadTable gradients_;
  std::optional<double> last_loss_;
  double loss_sum_ = 0.0;
  std::int64_t loss_count_ = 0;
  std::optional<RunKeeper> keeper_;
  std::optional<RunMark> on_disk_;  // without its losses; none: what is there is older
};

}  // namespace headscope
