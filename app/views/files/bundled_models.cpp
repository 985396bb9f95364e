// The bundled part of the model menu.
#include <algorithm>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/files/assets.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/widgets.h"
#include "core/model/model_folder.h"
#include "core/model/model_series.h"

namespace headscope {
namespace {

struct Choice {
  std::string text;
  std::string tooltip;
  std::filesystem::path folder;
  bool is_open = false;
};

// Words, and a row of choices after them; opens what is pressed.
void ChoiceRow(Ui* ui,
               const std::string& id,
               const std::string& words,
               const std::vector<Choice>& choices) {
  const float height = ui->Px(28.0F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float words_width = ui->Px(120.0F);
  const Rect label{at.x + ui->Px(8.0F), at.y, words_width, height};
  DrawTextIn(*ui, label, words, Type::kBody, ui->colors().text, label.width);
  std::vector<SegmentChoice> segments;
  int chosen = -1;
  for (const Choice& choice : choices) {
    if (choice.is_open) {
      chosen = static_cast<int>(segments.size());
    }
    segments.push_back({choice.text, choice.tooltip});
  }
  const Rect row{label.x + words_width, at.y, SegmentsWidth(*ui, segments), height};
  ImGui::Dummy({words_width + row.width, height + ui->Px(4.0F)});
  const int pressed = Segments(ui, id.c_str(), row, segments, chosen);
  if (pressed >= 0) {
    ui->Do(OpenFolder{choices[static_cast<std::size_t>(pressed)].folder});
  }
}

// Members of one family, by their number of heads.
void DrawFamily(Ui* ui, const std::string& family, const std::string& open) {
  std::vector<std::pair<std::int64_t, Choice>> members;
  for (const ModelChoice& model : ui->state.bundled_models) {
    const std::optional<FamilyMember> member = ParseFamilyMember(model.name);
    if (member && member->family == family) {
      members.push_back({member->heads,
                         {.text = std::to_string(member->heads),
                          .tooltip = model.name,
                          .folder = model.folder,
                          .is_open = model.name == open}});
    }
  }
  std::sort(members.begin(), members.end(), [](const auto& left, const auto& right) {
    return left.first < right.first;
  });
  std::vector<Choice> choices;
  choices.reserve(members.size());
  for (auto& [heads, choice] : members) {
    choices.push_back(std::move(choice));
  }
  ChoiceRow(ui, family, family + ", heads", choices);
}

void DrawCheckpoints(Ui* ui, const ModelChoice& model, const std::string& open) {
  std::vector<Choice> choices;
  for (const std::int64_t step : model.checkpoint_steps) {
    const std::string name = std::string(kCheckpointPrefix) + std::to_string(step);
    choices.push_back(
        {.text = std::to_string(step),
         .tooltip = model.name + " after " + std::to_string(step) + " steps of training",
         .folder = model.folder / name,
         .is_open = open == model.name + "/" + name});
  }
  choices.push_back({.text = "trained",
                     .tooltip = model.name + " at the end of its training",
                     .folder = model.folder,
                     .is_open = open == model.name});
  ChoiceRow(ui, "checkpoints", model.name + ", step", choices);
}

}  // namespace

void DrawBundledModels(Ui* ui) {
  const std::vector<ModelChoice>& models = ui->state.bundled_models;
  if (models.empty()) {
    return;
  }
  const std::string open = ui->state.model != nullptr ? ui->state.model->name : std::string();
  const auto row_of = [ui](const ModelChoice& model) {
    if (MenuRow(ui, model.folder.c_str(), model.name, model.folder.string())) {
      ui->Do(OpenFolder{model.folder});
    }
  };
  const auto first = std::ranges::find(models, kDefaultModel, &ModelChoice::name);
  if (first != models.end()) {
    Heading(ui, "Bundled: English, what a first start opens");
    row_of(*first);
  }
  Heading(ui, "Trained alike, but for the number of heads");
  std::vector<std::string> families;
  for (const ModelChoice& model : models) {
    const std::optional<FamilyMember> member = ParseFamilyMember(model.name);
    if (member && std::find(families.begin(), families.end(), member->family) == families.end()) {
      families.push_back(member->family);
    }
  }
  for (const std::string& family : families) {
    DrawFamily(ui, family, open);
  }
  for (const ModelChoice& model : models) {
    const bool is_open = open == model.name || open.starts_with(model.name + "/");
    if (is_open && !model.checkpoint_steps.empty()) {
      DrawCheckpoints(ui, model, open);
    }
  }
  for (const ModelChoice& model : models) {
    if (!ParseFamilyMember(model.name) && model.name != kDefaultModel) {
      row_of(model);
    }
  }
  ImGui::Dummy({1.0F, ui->Px(4.0F)});
}

}  // namespace headscope
