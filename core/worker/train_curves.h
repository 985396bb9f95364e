// Training runs put together as curves (core/figure/training_curves.h): those of a folder, or any.
//
// Errors   kInput: a folder without a run; kIo, kFormat: a record that cannot be read.
// Threads  any but the drawing one reads folders; the rest are plain values.
// Cost     a small file for each run; one without a record is measured (core/train/measured_run.h).
// Source   docs/reference.md, "Curves of trainings".
#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/figure/training_curves.h"
#include "core/train/record.h"

namespace headscope {

struct NamedTrain {
  std::string name;  // "copy-h4-2"
  TrainRecord record;
  bool is_measured = false;  // anew, at its kept steps: it has no record
};

// The run that a folder is, and those that stand in it, by name.
[[nodiscard]] Result<std::vector<NamedTrain>> ReadTrainRuns(const std::filesystem::path& folder,
                                                            const std::stop_token& stop);

// Runs that differ in other knobs than heads, seed and steps from most of them are left out, and so are
// runs that are there twice; notes say which, and why.
[[nodiscard]] TrainingCurves CurvesOfRuns(std::span<const NamedTrain* const> runs);
[[nodiscard]] TrainingCurves CurvesOfRuns(std::span<const NamedTrain> runs);

}  // namespace headscope
