// Choices in a row of a menu; above all the models that come with the program: a row for each family
// that differs in the number of heads, and one for the checkpoints of a model's training.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {

struct RowChoice {
  std::string text;
  std::string tooltip;
  std::filesystem::path folder = {};
  std::string name = {};  // of the model, as the state has it
};
struct ChoiceRow {
  std::string id;
  std::string words;  // before the choices
  std::vector<RowChoice> choices = {};
};
// The choices begin so far (unscaled) from the left. Returns the one chosen now, or null.
const RowChoice* DrawChoiceRow(Ui* ui,
                               const ChoiceRow& row,
                               float from,
                               const std::function<bool(const RowChoice&)>& is_chosen);

// By their number of heads.
[[nodiscard]] std::vector<ChoiceRow> BundledFamilies(const std::vector<ModelChoice>& models);
[[nodiscard]] ChoiceRow CheckpointsOf(const ModelChoice& model);

// They stand in the model menu: what is pressed is opened.
void DrawBundledModels(Ui* ui);

}  // namespace headscope
