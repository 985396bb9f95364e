#include "core/model/model_series.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/parse_number.h"
#include "core/base/thread_role.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

std::optional<std::int64_t> ParseCount(std::string_view text) {
  const auto count = ParseAs<std::int64_t>(text);
  return count >= 0 ? count : std::nullopt;
}

bool HasConfig(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "config.json", error);
}

// Returns checkpoints sorted by step.
std::vector<SeriesModel> CheckpointsIn(const std::filesystem::path& root) {
  std::vector<SeriesModel> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto step = StepOfCheckpoint(entry->path().filename().string());
    if (step && HasConfig(entry->path())) {
      found.push_back({.folder = entry->path(), .value = *step});
    }
  }
  std::ranges::sort(found, {}, [](const SeriesModel& one) {
    return std::pair<std::int64_t, const std::filesystem::path&>(one.value, one.folder);
  });
  return found;
}

std::vector<SeriesModel> FindTraining(const std::filesystem::path& root) {
  std::vector<SeriesModel> found = CheckpointsIn(root);
  if (HasConfig(root)) {
    found.push_back({.folder = root, .is_trained = true});
  }
  return found;
}

// The trainings of a family by their number of heads, in the folder that holds `root`.
std::vector<SeriesModel> FindTrainings(const std::filesystem::path& root) {
  std::vector<SeriesModel> found;
  const auto own = ParseFamilyMember(root.filename().string());
  if (!own) {
    return found;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root.parent_path(), error), end;
       !error && entry != end;
       entry.increment(error)) {
    const auto member = ParseFamilyMember(entry->path().filename().string());
    if (member && member->family == own->family) {
      found.push_back({.folder = entry->path(), .value = member->heads, .is_trained = true});
    }
  }
  std::ranges::sort(found, {}, [](const SeriesModel& one) {
    return std::pair<std::int64_t, const std::filesystem::path&>(one.value, one.folder);
  });
  return found;
}

struct FamilyFound {
  std::vector<SeriesModel> trained;
  std::vector<SeriesModel> steps;
};

FamilyFound FindFamily(const std::filesystem::path& root) {
  FamilyFound found;
  std::size_t trainings = 0;
  bool has_checkpoint = false;
  for (const SeriesModel& one : FindTrainings(root)) {
    const std::vector<SeriesModel> steps = FindTraining(one.folder);
    for (const SeriesModel& step : steps) {
      has_checkpoint = has_checkpoint || !step.is_trained;
      if (step.is_trained) {
        found.trained.push_back(one);
      }
    }
    trainings += steps.empty() ? 0U : 1U;
    found.steps.insert(found.steps.end(), steps.begin(), steps.end());
  }
  if (trainings < 2 || !has_checkpoint) {
    found.steps.clear();
  }
  return found;
}

std::filesystem::path OwnPlace(const std::filesystem::path& model) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::absolute(model, error).lexically_normal();
  return own.has_filename() ? own : own.parent_path();
}

// Returns the folder that holds the checkpoints of a training run.
std::filesystem::path RootOf(const std::filesystem::path& own) {
  const bool is_checkpoint = StepOfCheckpoint(own.filename().string()).has_value();
  return is_checkpoint ? own.parent_path() : own;
}

}  // namespace

std::optional<FamilyMember> ParseFamilyMember(std::string_view name) {
  const std::size_t mark = name.rfind("-h");
  if (mark == std::string_view::npos || mark == 0) {
    return std::nullopt;
  }
  // "4", "4-2", "4-seed2", "4-seed-2": all but the first are further runs.
  std::string_view number = name.substr(mark + 2);
  if (const std::size_t dash = number.find('-'); dash != std::string_view::npos) {
    std::string_view run = number.substr(dash + 1);
    run.remove_prefix(run.starts_with("seed-") ? 5 : run.starts_with("seed") ? 4 : 0);
    if (!ParseCount(run)) {
      return std::nullopt;
    }
    number = number.substr(0, dash);
  }
  const std::optional<std::int64_t> heads = ParseCount(number);
  return heads ? std::optional(FamilyMember{std::string(name.substr(0, mark)), *heads})
               : std::nullopt;
}

std::vector<std::int64_t> CheckpointSteps(const std::filesystem::path& folder) {
  std::vector<std::int64_t> steps;
  for (const SeriesModel& one : CheckpointsIn(folder)) {
    if (one.folder.filename() == std::string(kCheckpointPrefix) + std::to_string(one.value)) {
      steps.push_back(one.value);
    }
  }
  return steps;
}

std::filesystem::path StepZeroOf(const std::filesystem::path& model) {
  CheckNotDrawing("looking for a model's step 0");
  const std::vector<SeriesModel> checkpoints = CheckpointsIn(RootOf(OwnPlace(model)));
  return !checkpoints.empty() && checkpoints.front().value == 0 ? checkpoints.front().folder
                                                                : std::filesystem::path();
}

ModelSeries FindSeries(const std::filesystem::path& model) {
  CheckNotDrawing("looking for a series of models");
  const std::filesystem::path own = OwnPlace(model);
  const std::filesystem::path root = RootOf(own);
  FamilyFound family = FindFamily(root);
  ModelSeries series{.checkpoints = FindTraining(root),
                     .head_counts = std::move(family.trained),
                     .family = std::move(family.steps)};
  for (std::vector<SeriesModel>* const each :
       {&series.checkpoints, &series.head_counts, &series.family}) {
    if (each->size() < 2) {
      each->clear();
    }
    for (SeriesModel& one : *each) {
      one.folder = one.folder == own ? model : one.folder;
    }
  }
  return series;
}

}  // namespace headscope
