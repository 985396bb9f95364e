// What the heads of a network that is trained do: scores on repeats, how far heads differ, and how
// many targets of each kind are right.
//
// Units    scores and accuracies 0 to 1, divergence in nats.
// Errors   kCancelled.
// Threads  one thread uses a meter.
// Cost     a forward over some 600 tokens (of the mixture, 5,700), and the divergence of all pairs of
//          heads: 3 to 90 ms. It ends within a millisecond where it is stopped.
// Source   docs/reference.md, "train" and "score".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/train/network.h"
#include "core/train/settings.h"
#include "core/train/tasks.h"

namespace headscope {

struct TrainMeasures {
  HeadTable previous_token = {};  // the least over periods; these are empty if no repeats fit
  HeadTable induction = {};
  HeadTable duplicate_token = {};
  std::vector<std::optional<double>> divergence = {};  // [layer]; nothing for one head
  std::optional<std::array<double, 4>> accuracy = {};  // in the order of kTargetKindNames
};

class TrainMeter {
 public:
  explicit TrainMeter(const TrainSettings& settings);
  [[nodiscard]] Result<TrainMeasures> Measure(std::span<const float> weights,
                                              const std::stop_token& stop);
  // Of the last Measure: the ids of one row that is never trained on, and the weights of all heads of
  // a layer on it, [head, query, key].
  [[nodiscard]] std::span<const std::int32_t> shown_ids() const;
  [[nodiscard]] std::vector<float> ShownMaps(std::int64_t layer) const;

 private:
  struct Repeats {
    std::int64_t period = 0;
    TrainBatch batch;
  };
  void AddScores(const Repeats& repeats, TrainMeasures* measures) const;
  [[nodiscard]] Status SetDivergence(std::int64_t rows,
                                     const std::stop_token& stop,
                                     TrainMeasures* measures) const;
  // The batch that Measure runs last; null where there is nothing to measure on.
  [[nodiscard]] const TrainBatch* LastBatch() const;

  TrainNetwork<float> network_;
  std::vector<Repeats> repeats_;
  std::optional<TrainBatch> held_out_;  // of the mixture
};

}  // namespace headscope
