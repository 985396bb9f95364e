#include "core/train/measured_run.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/model/model_series.h"
#include "core/train/folder.h"
#include "core/train/network.h"
#include "core/train/tasks.h"

namespace headscope {
namespace {

// Rows that a run with the usual seeds does not draw.
TrainBatch MeasuredBatch(TrainSettings settings) {
  constexpr std::uint64_t kOtherSeed = 0x6D65617375726564U;
  settings.seed = kOtherSeed;
  settings.batch = kMeasuredRows;
  return MakeTrainBatch(settings, 0);
}

std::uint64_t SeedInName(std::string_view name) {
  std::string_view last = name.substr(name.rfind('-') + 1);
  last.remove_prefix(last.starts_with("seed") ? 4 : 0);
  return ParseAs<std::uint64_t>(last).value_or(1);
}

}  // namespace

Result<TrainRecord> MeasureTrainRun(const std::filesystem::path& folder,
                                    const std::stop_token& stop) {
  TrainRecord record;
  HEADSCOPE_TRY(record.settings, SettingsOfFolder(folder, false));
  const std::vector<std::int64_t> steps = CheckpointSteps(folder);
  if (steps.empty()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: it has no steps, expected folders step-100, ...", folder.string()));
  }
  const auto step_folder = [&](std::int64_t step) { return folder / fmt::format("step-{}", step); };
  if (!ReadFirstWeights(step_folder(steps.back()), MakeTrainLayout(record.settings.shape))) {
    HEADSCOPE_TRY(record.settings, SettingsOfFolder(folder, true));  // its MLP is not 0
  }
  record.settings.seed = SeedInName(folder.filename().string());
  record.settings.steps = steps.back();
  const TrainBatch batch = MeasuredBatch(record.settings);
  TrainMeter meter(record.settings);
  TrainNetwork<float> network(record.settings.shape, 0.0);
  for (const std::int64_t step : steps) {
    HEADSCOPE_TRY(const auto weights,
                  ReadFirstWeights(step_folder(step), MakeTrainLayout(record.settings.shape)));
    HEADSCOPE_TRY(const double loss, network.Forward(weights, batch, stop));
    HEADSCOPE_TRY(auto measures, meter.Measure(weights, stop));
    record.lines.push_back({.step = step, .loss = loss, .measures = std::move(measures)});
  }
  return record;
}

}  // namespace headscope
