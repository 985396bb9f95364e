// A run without a record, measured anew at each of its kept steps: a model of a task's symbols with its
// checkpoints, whoever trained it.
//
// Errors   kInput: no such model, or no checkpoints; those of core/train/folder.h; kCancelled.
// Threads  any but the drawing one.
// Cost     for each checkpoint its weights, and a forward over a few thousand tokens.
// Source   docs/reference.md, "Curves of trainings".
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/base/error.h"
#include "core/train/record.h"

namespace headscope {

inline constexpr std::int64_t kMeasuredRows = 64;  // of the loss

// Settings that no file tells are those of a new run; the seed is that of its name, copy-h4-2 or
// copy-h4-seed2, else 1.
[[nodiscard]] Result<TrainRecord> MeasureTrainRun(const std::filesystem::path& folder,
                                                  const std::stop_token& stop);

}  // namespace headscope
