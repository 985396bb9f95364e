// What is trained, on what, and how: every number that decides what comes out of a run.
//
// Errors   kInput: knobs that do not fit together, in one sentence.
// Source   docs/reference.md, "train".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace headscope {

// The sizes of a network of GPT-2's layout.
struct TrainShape {
  std::int64_t layers = 2;
  std::int64_t heads = 4;
  std::int64_t head_dim = 16;
  std::int64_t model_dim = 64;
  std::int64_t vocabulary = 64;  // ids, the begin mark among them
  std::int64_t context = 80;
  std::int64_t inner = 0;        // width of the MLP; 0: there is none
  bool tied = false;             // the output matrix is the embedding
  bool fixed_positions = false;  // they are sinusoids, and stay
  // A head's queries, keys and values are made of its own model_dim / heads columns of the layer's
  // normed input, contiguous; else of all of it.
  bool own_segments = false;

  [[nodiscard]] std::int64_t width() const { return heads * head_dim; }  // of all heads' queries
  friend bool operator==(const TrainShape&, const TrainShape&) = default;
};

enum class TrainTask { kCopy, kMixture };

struct TrainPeriods {
  std::int64_t least = 8;
  std::int64_t most = 50;
  friend bool operator==(const TrainPeriods&, const TrainPeriods&) = default;
};

// Periods of the repeats that scores are measured on; they are never drawn for training.
inline constexpr std::int64_t kScoredPeriods[] = {10, 20};

// How the first weights are drawn.
struct TrainStart {
  double spread = 0.1;  // of the embeddings, and of matrices with 64 inputs
  bool alike = false;   // all heads of a layer get the first one's weights
  double noise = 0.0;   // spread of what is then added to each weight of a head
  bool ones = false;    // every weight of a block's matrices is 1
  friend bool operator==(const TrainStart&, const TrainStart&) = default;
};

struct TrainSettings {
  TrainShape shape = {};
  TrainTask task = TrainTask::kCopy;
  TrainPeriods periods = {};
  TrainStart start = {};
  std::int64_t batch = 16;
  std::int64_t steps = 1000;
  double rate = 3e-3;
  std::int64_t warm_up = 100;
  double disagreement = 0.0;  // weight of heads' alikeness (core/train/alikeness.h) beside the loss
  std::uint64_t seed = 1;
  bool draws = true;      // else rows are read, and the task's sizes need not fit
  std::string rows = {};  // a digest of those that are read
  friend bool operator==(const TrainSettings&, const TrainSettings&) = default;
};

// The periods that a task draws unless it is told, as far as they fit the shape.
[[nodiscard]] TrainPeriods UsualPeriods(TrainTask task, const TrainShape& shape);

[[nodiscard]] Status CheckTrainSettings(const TrainSettings& settings);

// The rate of a step, from 1: warmed up in a straight line, then constant.
[[nodiscard]] double RateAt(const TrainSettings& settings, std::int64_t step);

[[nodiscard]] std::optional<TrainTask> ParseTrainTask(const std::string& text);

}  // namespace headscope
