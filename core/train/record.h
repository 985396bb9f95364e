// What a run leaves beside its weights, in training.json: what it was told, and its numbers so far.
//
// Errors   kIo; kFormat: no such file, or not a whole one; the message names it.
// Threads  any but the drawing one.
// Source   docs/reference.md, "train".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/train/measure.h"
#include "core/train/settings.h"

namespace headscope {

inline constexpr const char* kTrainRecordFile = "training.json";

struct TrainLine {
  std::int64_t step = 0;
  double loss = 0.0;  // of the step's batch, before its update
  TrainMeasures measures = {};
};

struct TrainRecord {
  TrainSettings settings = {};
  std::vector<TrainLine> lines = {};  // by step
};

// As one line of JSON, without its end. `milliseconds`: left out where there are none.
[[nodiscard]] std::string TrainLineText(const TrainLine& line,
                                        std::optional<double> milliseconds = {});

// The settings as JSON, in one line; equal texts mean equal settings.
[[nodiscard]] std::string TrainSettingsText(const TrainSettings& settings);
[[nodiscard]] Result<TrainSettings> ParseTrainSettings(const std::string& text,
                                                       const std::string& name);
// "--rate is 0.01, there 0.003": the first knob that differs, the number of steps aside; empty: none.
[[nodiscard]] std::string SettingsDiffer(const TrainSettings& asked, const TrainSettings& there);

[[nodiscard]] Status WriteTrainRecord(const std::filesystem::path& folder,
                                      const TrainRecord& record);
[[nodiscard]] bool HasTrainRecord(const std::filesystem::path& folder);
[[nodiscard]] Result<TrainRecord> ReadTrainRecord(const std::filesystem::path& folder);

}  // namespace headscope
