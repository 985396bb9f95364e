#include "app/views/files/model_field.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/files/model_list.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr std::size_t kMostFound = 12;

// Returns whether it was clicked. A model without a summary is told by its path.
bool DrawModel(Ui* ui, const ModelChoice& model, bool is_pointed) {
  const std::string path = model.folder.string();
  if (is_pointed) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    FillRect(*ui,
             {at.x, at.y, ImGui::GetContentRegionAvail().x, ui->Px(50.0F)},
             Blend(ui->colors().raised, ui->colors().text, 0.10F),
             5.0F);
  }
  return MenuRow(ui, path.c_str(), model.name, model.about.empty() ? path : model.about);
}

// Arrows move among the models found; another text begins with the first again.
std::size_t PointedModel(Ui* ui, std::size_t shown, const std::string& typed, int steps) {
  ViewMemory& memory = *ui->memory;
  if (memory.filtered_by != typed) {
    memory.filtered_by = typed;
    memory.pointed_model = 0;
  }
  memory.pointed_model += steps;
  const std::int64_t last = static_cast<std::int64_t>(std::max<std::size_t>(shown, 1)) - 1;
  memory.pointed_model = std::clamp<std::int64_t>(memory.pointed_model, 0, last);
  return static_cast<std::size_t>(memory.pointed_model);
}

std::string WordsOfFound(std::size_t found, const std::string& typed, bool takes_sentences) {
  if (found == 0 && takes_sentences && LooksLikeSentence(typed)) {
    return "No such model in the lists; Enter takes it as a sentence";
  }
  if (found == 0) {
    return fmt::format("No such model in the lists; Enter looks for \"{}\" elsewhere", typed);
  }
  return found == 1 ? "1 model found; Enter opens it"
                    : fmt::format("{} models found; arrows and Enter choose", found);
}

}  // namespace

ChosenModel DrawModelList(Ui* ui,
                          const char* heading,
                          const std::vector<ModelChoice>& models,
                          std::size_t most) {
  ChosenModel chosen;
  if (models.empty()) {
    return chosen;
  }
  Heading(ui, heading);
  for (std::size_t i = 0; i < std::min(models.size(), most); ++i) {
    if (DrawModel(ui, models[i], false)) {
      chosen.folder = models[i].folder;
    }
  }
  if (models.size() > most) {
    Heading(ui, fmt::format("and {} more: type a part of the name above", models.size() - most));
  }
  ImGui::Dummy({1.0F, ui->Px(4.0F)});
  return chosen;
}

std::vector<ModelChoice> OtherRecentModels(const AppState& state) {
  std::vector<ModelChoice> recent;
  for (const ModelChoice& model : state.recent_models) {
    const auto is_in = [&model](const std::vector<ModelChoice>& others) {
      return std::ranges::find(others, model.folder, &ModelChoice::folder) != others.end();
    };
    const bool is_open = state.model != nullptr && state.model->folder == model.folder;
    if (!is_open && !is_in(state.bundled_models) && !is_in(state.cached_models)) {
      recent.push_back(model);
    }
  }
  return recent;
}

ChosenModel DrawModelField(Ui* ui,
                           const std::string& name,
                           const char* verb,
                           bool takes_sentences) {
  std::string typed = ui->state.dialogs.model_path;
  int steps = 0;
  for (const KeyPress& press : ui->keys) {
    steps += press.key == Key::kDown ? 1 : (press.key == Key::kUp ? -1 : 0);
  }
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected);
  const std::string hint = "part of a name, path, org/name, Hub address";
  if (DialogField(
          ui, name, &typed, {.hint = hint, .takes_keys = takes_keys, .beside = ui->Px(96.0F)})) {
    ui->Do(EditModelPath{typed});
  }
  const std::vector<ModelChoice> found = FindModels(ui->state, typed);
  const std::size_t shown = std::min(found.size(), kMostFound);
  const std::size_t pointed = PointedModel(ui, shown, typed, steps);
  const bool entered = IsPressed(*ui, Key::kEnter);
  ImGui::SameLine();
  ChosenModel chosen;
  if ((DialogButton(ui, verb, true, !typed.empty()) || entered) && !typed.empty()) {
    chosen =
        found.empty() ? ChosenModel{.typed = typed} : ChosenModel{.folder = found[pointed].folder};
  }
  if (!IsFiltered(ui->state)) {
    return chosen;
  }
  Heading(ui, WordsOfFound(found.size(), typed, takes_sentences));
  for (std::size_t i = 0; i < shown; ++i) {
    if (DrawModel(ui, found[i], pointed == i)) {
      chosen.folder = found[i].folder;
    }
  }
  if (found.size() > shown) {
    Heading(ui, fmt::format("and {} more: type more of the name", found.size() - shown));
  }
  ImGui::Dummy({1.0F, ui->Px(4.0F)});
  return chosen;
}

}  // namespace headscope
