// Finds models that belong together: the checkpoints of one training run, and the members of a
// family that differ in their number of heads.
//
// Errors   none: unreadable models are left out.
// Threads  FindSeries: any but the drawing one.
// Cost     a few system calls per folder in the model, next to it, and in those next to it; no file is
//          read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// Parses "gpt-h8" as the family "gpt" with 8 heads, as "gpt-h8-2", "gpt-h8-seed2" and "gpt-h8-seed-2",
// further runs of it; empty for other names.
struct FamilyMember {
  std::string family;
  std::int64_t heads = 0;
};
[[nodiscard]] std::optional<FamilyMember> ParseFamilyMember(std::string_view name);

// Returns the steps N for which folder/step-<N> is a model, ascending.
[[nodiscard]] std::vector<std::int64_t> CheckpointSteps(const std::filesystem::path& folder);

struct SeriesModel {
  std::filesystem::path folder;
  std::int64_t value = 0;   // the step or the number of heads, from the name
  bool is_trained = false;  // the end of training, whose step is not in a name
  friend bool operator==(const SeriesModel&, const SeriesModel&) = default;
};

// Returns the model's step 0: the first checkpoint in its folder, or in the folder that it is a
// checkpoint of. Empty if there is none.
[[nodiscard]] std::filesystem::path StepZeroOf(const std::filesystem::path& model);

// Each list has at least two models, or none; `family` has two trainings at least, one of them with a
// checkpoint.
struct ModelSeries {
  std::vector<SeriesModel> checkpoints;  // by step, the trained model last
  std::vector<SeriesModel>
      head_counts;  // by number of heads, trained; several runs of one number follow one another
  std::vector<SeriesModel> family;  // the checkpoints of each of these trainings, in the same order
  friend bool operator==(const ModelSeries&, const ModelSeries&) = default;
};

// Finds the series that a model's folder, or a checkpoint in one, belongs to: the checkpoints in
// it, and the folders next to it. The model's own path is kept as given.
[[nodiscard]] ModelSeries FindSeries(const std::filesystem::path& model);

}  // namespace headscope
