// What there is to see of a training run, published as a whole.
//
// Threads  plain values; what is shared is immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/train/kept_runs.h"
#include "core/train/measure.h"
#include "core/train/record.h"

namespace headscope {

using TrainRunId = std::int64_t;

// Where a run is kept as it trains: a folder of its own in the shelf. An empty shelf: it is not.
struct TrainPlace {
  std::filesystem::path shelf = {};
  std::string name = {};
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
  std::string fault = {};             // why it ended; empty: it did not
  std::string torn = {};              // what was not whole where it went on from, in a sentence
  std::filesystem::path folder = {};  // where it is kept; empty: it is not, or not yet
  std::string unkept = {};  // why it is not on disk, in a sentence; empty: it is, or need not be
  std::vector<TrainPoint> losses = {};
  std::vector<TrainScored> scored = {};  // the last one is of the maps
  // On a row that is never trained on.
  std::vector<std::shared_ptr<const LayerAttention>> layers = {};
  std::shared_ptr<const TrainLook> look = {};  // the last one; null: none was asked for
  std::vector<std::int64_t> kept = {};         // steps that can be gone back to, opened, saved
  double step_milliseconds = 0.0;
  // From the last pause's request until no step was computed any more; none: it was not paused.
  std::optional<double> stop_milliseconds = {};
};

}  // namespace headscope
