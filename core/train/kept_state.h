// All that a run needs to go on with the same bits, on disk: weights, Adam's moments and the step, which
// says what is drawn next. In optimizer.safetensors, in the run's folder and in those of its kept steps.
//
// Errors   kIo; kFormat: a file that is missing, torn, or of another run, in a sentence that names it.
// Threads  any but the drawing one.
// Cost     three arrays of the weights, written whole or not at all.
// Source   docs/reference.md, "train".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/train/run.h"

namespace headscope {

inline constexpr const char* kTrainStateFile = "optimizer.safetensors";

[[nodiscard]] Status WriteTrainState(const std::filesystem::path& folder,
                                     const TrainSettings& settings,
                                     const TrainState& state);

// The state and the model of a step, in step-N of the run's folder. kCancelled: it was stopped between
// two files, and is no step yet.
[[nodiscard]] Status WriteKeptStep(const std::filesystem::path& folder,
                                   const TrainSettings& settings,
                                   const TrainState& state,
                                   const std::stop_token& stop = {});

[[nodiscard]] std::filesystem::path KeptStepFolder(const std::filesystem::path& folder,
                                                   std::int64_t step);
// Those of a run that are there, whole or not, the latest first.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::filesystem::path>> KeptStepFolders(
    const std::filesystem::path& folder);

struct KeptTrain {
  TrainSettings settings;  // of the run
  TrainState state;
};
[[nodiscard]] Result<KeptTrain> ReadTrainState(const std::filesystem::path& folder);

// The newest whole state of a run's folder and its kept steps.
struct FoundTrain {
  std::optional<KeptTrain> kept = {};    // none: there is none
  std::vector<std::string> faults = {};  // of newer ones that are missing or torn, in sentences
};
[[nodiscard]] FoundTrain FindTrainState(const std::filesystem::path& folder);

}  // namespace headscope
