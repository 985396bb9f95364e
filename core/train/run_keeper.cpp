#include "core/train/run_keeper.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/train/folder.h"
#include "core/train/kept_state.h"

namespace headscope {
namespace {

// Its config.json goes first: a folder without one is not taken for a step (FindTrainState).
Status RemoveKeptStep(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove(folder / "config.json", error);
  std::filesystem::remove(folder / kTrainStateFile, error);
  std::filesystem::remove_all(folder, error);
  return error ? Fail(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()))
               : Status();
}

}  // namespace

RunKeeper::RunKeeper(std::filesystem::path shelf, std::string name)
    : shelf_(std::move(shelf)), name_(std::move(name)) {}

RunKeeper::RunKeeper(HeldRun held, std::span<const TrainState> kept) : held_(std::move(held)) {
  // Torn ones, which are not among `kept`, are written or removed by the first Keep.
  const auto folders = KeptStepFolders(held_->folder());
  for (const TrainState& state : kept) {
    if (std::ranges::any_of(folders, [&](const auto& one) { return one.first == state.step; })) {
      steps_.insert(state.step);
    }
  }
  const std::int64_t last = kept.empty() ? -1 : kept.back().step;
  for (const auto& [step, path] : folders) {
    if (step > last) {
      steps_.insert(step);
    }
  }
}

Status RunKeeper::Keep(const RunToKeep& run, const std::stop_token& stop) {
  if (!Keeps()) {
    return {};
  }
  if (!held_) {
    HEADSCOPE_TRY(held_, HeldRun::Make(shelf_, name_));
    DiscardOldRuns(shelf_);
  }
  const std::filesystem::path& folder = held_->folder();
  const std::int64_t last = run.kept.empty() ? -1 : run.kept.back().step;
  while (!steps_.empty() && *steps_.rbegin() > last) {
    HEADSCOPE_TRY(RemoveKeptStep(KeptStepFolder(folder, *steps_.rbegin())));
    steps_.erase(std::prev(steps_.end()));
  }
  // What goes on from a state has its lines: they come first.
  HEADSCOPE_TRY(CheckStop(stop));
  HEADSCOPE_TRY(WriteTrainRecord(folder, {run.settings, {run.lines.begin(), run.lines.end()}}));
  HEADSCOPE_TRY(CheckStop(stop));
  HEADSCOPE_TRY(WriteRunMark(folder, run.mark));
  for (const TrainState& state : run.kept) {
    if (!steps_.contains(state.step)) {
      HEADSCOPE_TRY(CheckStop(stop));
      HEADSCOPE_TRY(WriteKeptStep(folder, run.settings, state, stop));
      steps_.insert(state.step);
    }
  }
  HEADSCOPE_TRY(CheckStop(stop));
  HEADSCOPE_TRY(WriteTrainState(folder, run.settings, run.state));
  HEADSCOPE_TRY(CheckStop(stop));
  return WriteTrainFolder(folder, run.settings, run.state.weights, stop);
}

void RunKeeper::Drop() {
  if (held_) {
    std::error_code ignored;
    std::filesystem::remove_all(held_->folder(), ignored);
    held_.reset();
    steps_.clear();
  }
}

}  // namespace headscope
