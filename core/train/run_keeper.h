// Keeps a run on disk as it trains, so that it can go on wherever its program ends.
//
// Errors   kIo: the disk is full or cannot be written; kCancelled: it was stopped between two files. What was
//          kept before stays whole, and the next Keep tries again.
// Threads  one thread uses a keeper, not the drawing one.
// Cost     two files of the weights' size for each Keep, and two more for each new kept step, all synced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/train/kept_runs.h"

namespace headscope {

// All of a run that is on disk.
struct RunToKeep {
  const TrainSettings& settings;
  const TrainState& state;
  std::span<const TrainState> kept;  // by step
  std::span<const TrainLine> lines;
  const RunMark& mark;
};

class RunKeeper {
 public:
  // A new run; its folder is made by the first Keep. An empty shelf: nothing is kept.
  RunKeeper(std::filesystem::path shelf, std::string name);
  // One that is there.
  RunKeeper(HeldRun held, std::span<const TrainState> kept);

  [[nodiscard]] bool Keeps() const { return held_ || !shelf_.empty(); }
  [[nodiscard]] bool has_folder() const { return held_.has_value(); }
  // Empty: it has none.
  [[nodiscard]] std::filesystem::path folder() const {
    return held_ ? held_->folder() : std::filesystem::path();
  }
  // Brings the folder to what the run is. Kept steps that are no longer there are removed.
  [[nodiscard]] Status Keep(const RunToKeep& run, const std::stop_token& stop);
  // Removes what it has written.
  void Drop();

 private:
  std::filesystem::path shelf_;
  std::string name_;
  std::optional<HeldRun> held_;
  std::set<std::int64_t> steps_;  // that are in the folder
};

}  // namespace headscope
