// Passes what the window asks of training runs on to them, and of those on disk to errands.
//
// Threads  UI thread; errands access the disk.
#pragma once

#include <filesystem>

#include "app/state/reducer.h"
#include "app/window/errands.h"
#include "core/worker/train_crew.h"

namespace headscope {

// Where runs are kept as they train; empty: there is no home folder.
[[nodiscard]] std::filesystem::path TrainShelf();

// An empty shelf: runs are kept in memory alone.
void DoTrainOrder(const TrainOrder& order,
                  const std::filesystem::path& shelf,
                  TrainCrew* crew,
                  Errands* errands);

// Answered by KeptRunsFound.
void FindKeptRuns(const std::filesystem::path& shelf, Errands* errands);

}  // namespace headscope
