// A training run: its weights, step by step.
//
// Errors   kCancelled: the step was stopped, and nothing has changed; kNumeric: the loss diverges, in
//          a sentence; kInput: settings that do not fit (Make).
// Threads  one thread uses a run; it starts none.
// Cost     memory stays what the first step takes. A stopped step ends within some milliseconds.
// Source   Kingma 2015 (Adam).
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/train/network.h"
#include "core/train/settings.h"

namespace headscope {

// All that the next step depends on, but for the settings.
struct TrainState {
  std::int64_t step = 0;  // steps done
  std::vector<float> weights;
  std::vector<float> first;  // Adam's moments
  std::vector<float> second;
  // By which it is known that a loss diverges: the first one, and the last ones, the newest last.
  double first_loss = 0.0;
  std::vector<double> recent_losses = {};
  friend bool operator==(const TrainState&, const TrainState&) = default;
};

class TrainRun {
 public:
  // `first`: the first weights; drawn where empty. `rows`: what is read in place of a task's draws.
  [[nodiscard]] static Result<TrainRun> Make(const TrainSettings& settings,
                                             std::vector<float> first = {},
                                             std::vector<std::vector<std::int32_t>> rows = {});

  // Does a step; returns the loss of its batch, before the update and without what disagreement adds.
  [[nodiscard]] Result<double> Step(const std::stop_token& stop);

  [[nodiscard]] const TrainSettings& settings() const { return settings_; }
  [[nodiscard]] const TrainLayout& layout() const { return network_.layout(); }
  [[nodiscard]] const TrainState& state() const { return state_; }
  // Goes on from what state() gave at some step.
  void Restore(TrainState state);
  // Of the last step, before it was clipped.
  [[nodiscard]] std::span<const float> gradient() const { return gradient_; }

 private:
  explicit TrainRun(const TrainSettings& settings)
      : settings_(settings), network_(settings.shape, settings.disagreement) {}
  [[nodiscard]] TrainBatch NextBatch() const;
  [[nodiscard]] Status CheckLoss(double loss, double norm);

  TrainSettings settings_;
  TrainNetwork<float> network_;
  std::vector<std::vector<std::int32_t>> rows_;
  TrainState state_;
  std::vector<float> gradient_;
};

}  // namespace headscope
