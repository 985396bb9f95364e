// Models that belong together: the checkpoints of one training run, and the members of a family
// that differ in their number of heads.
//
// Errors   none: what cannot be read is left out.
// Threads  any; FindSeries: any but the one that draws.
// Cost     a few system calls for each folder beside the model or in it; no file is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// "gpt-h8" is the family "gpt" with 8 heads; nothing for a name of another form.
struct FamilyMember {
  std::string family;
  std::int64_t heads = 0;
};
[[nodiscard]] std::optional<FamilyMember> ParseFamilyMember(std::string_view name);

// The steps N for which folder/step-<N> is a model, ascending.
[[nodiscard]] std::vector<std::int64_t> CheckpointSteps(const std::filesystem::path& folder);

struct SeriesModel {
  std::filesystem::path folder;
  std::int64_t value = 0;   // the step, or the number of heads, as the name says
  bool is_trained = false;  // the end of a training, whose step no name says
  friend bool operator==(const SeriesModel&, const SeriesModel&) = default;
};

// The model's own step 0: the first of the checkpoints that its folder, or the folder that it is a
// checkpoint in, holds. Empty: there is none.
[[nodiscard]] std::filesystem::path StepZeroOf(const std::filesystem::path& model);

// Either has two models or more, or none.
struct ModelSeries {
  std::vector<SeriesModel> checkpoints;  // by step, the trained model last
  std::vector<SeriesModel> head_counts;  // by number of heads, trained
  friend bool operator==(const ModelSeries&, const ModelSeries&) = default;
};

// What a model's folder, or a checkpoint in one, belongs to: the checkpoints in it, and the folders
// beside it. The model's own place is named as it is here.
[[nodiscard]] ModelSeries FindSeries(const std::filesystem::path& model);

}  // namespace headscope
