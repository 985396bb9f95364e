// What can stand as side B: head counts of the family, checkpoints, recent models, a path, another
// sentence.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/files/assets.h"
#include "app/state/compare/compared.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/home_path.h"
#include "core/model/model_folder.h"
#include "core/model/model_series.h"

namespace headscope {
namespace {

struct CompareMenuChoice {
  std::string text;
  std::string tooltip;
  std::filesystem::path folder;
};

// The text of side B stays where it is another model's turn.
void ChooseInCompareMenu(Ui* ui, const std::filesystem::path& model) {
  ComparedSide side{.model = model};
  if (const auto& other = ui->state.compare.other) {
    side.input = other->input;
  }
  ui->Do(CompareWith{std::move(side)});
}

// Words, and a row of choices after them.
void CompareMenuChoiceRow(Ui* ui,
                          const char* id,
                          const std::string& words,
                          const std::vector<CompareMenuChoice>& choices) {
  if (choices.empty()) {
    return;
  }
  const float height = ui->Px(28.0F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float words_width = ui->Px(140.0F);
  DrawTextIn(*ui,
             {at.x + ui->Px(8.0F), at.y, words_width, height},
             words,
             Type::kBody,
             ui->colors().text,
             words_width);
  std::vector<SegmentChoice> segments;
  int chosen = -1;
  const auto& other = ui->state.compare.other;
  for (const CompareMenuChoice& choice : choices) {
    if (other && other->model == choice.folder) {
      chosen = static_cast<int>(segments.size());
    }
    segments.push_back({choice.text, choice.tooltip});
  }
  const Rect row{at.x + words_width, at.y, SegmentsWidth(*ui, segments), height};
  ImGui::Dummy({words_width + row.width, height + ui->Px(4.0F)});
  const int pressed = Segments(ui, id, row, segments, chosen);
  if (pressed >= 0) {
    ChooseInCompareMenu(ui, choices[static_cast<std::size_t>(pressed)].folder);
  }
}

std::vector<std::string> Families(const std::vector<ModelChoice>& models) {
  std::vector<std::string> families;
  for (const ModelChoice& model : models) {
    const auto member = ParseFamilyMember(model.name);
    if (member && std::ranges::find(families, member->family) == families.end()) {
      families.push_back(member->family);
    }
  }
  return families;
}

void DrawFamilyInCompareMenu(Ui* ui, const std::string& family) {
  std::vector<std::pair<std::int64_t, CompareMenuChoice>> members;
  for (const ModelChoice& model : ui->state.bundled_models) {
    const auto member = ParseFamilyMember(model.name);
    if (member && member->family == family) {
      members.push_back({member->heads, {std::to_string(member->heads), model.name, model.folder}});
    }
  }
  std::ranges::sort(members, {}, [](const auto& each) { return each.first; });
  std::vector<CompareMenuChoice> choices;
  for (auto& [heads, choice] : members) {
    choices.push_back(std::move(choice));
  }
  CompareMenuChoiceRow(ui, family.c_str(), family + ", heads", choices);
}

void DrawCheckpointsInCompareMenu(Ui* ui) {
  const ModelChoice* const model = BundledOf(ui->state);
  if (model == nullptr || model->checkpoint_steps.empty()) {
    return;
  }
  std::vector<CompareMenuChoice> choices;
  for (const std::int64_t step : model->checkpoint_steps) {
    const std::string name = std::string(kCheckpointPrefix) + std::to_string(step);
    choices.push_back({std::to_string(step),
                       model->name + " after " + std::to_string(step) + " steps of training",
                       model->folder / name});
  }
  choices.push_back({"trained", model->name + " at the end of its training", model->folder});
  Heading(ui, "The open model earlier in its training");
  CompareMenuChoiceRow(ui, "checkpoints", model->name + ", step", choices);
}

// One of side A's own layers under other head counts, of the same weights.
void DrawCuts(Ui* ui) {
  const LayerView view = SelectedLayer(ui->state);
  if (view.layer == nullptr || !view.layer->has_scores() || view.stale || view.outdated) {
    return;
  }
  const std::int64_t layer = view.layer->layer();
  const std::vector<std::int64_t> counts = CountsFor(*view.layer);
  Heading(ui, "The selected layer, its weights cut into other heads");
  const float height = ui->Px(28.0F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float words_width = ui->Px(140.0F);
  DrawTextIn(*ui,
             {at.x + ui->Px(8.0F), at.y, words_width, height},
             LayerName({view.layer->part(), layer}) + ", heads",
             Type::kBody,
             ui->colors().text,
             words_width);
  std::vector<std::string> names;
  for (const std::int64_t count : counts) {
    names.push_back(std::to_string(count));
  }
  std::vector<SegmentChoice> segments;
  int chosen = -1;
  const auto& other = ui->state.compare.other;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (other && other->cut_heads == counts[i] && other->cut_layer == layer) {
      chosen = static_cast<int>(i);
    }
    segments.push_back({names[i],
                        counts[i] == view.layer->shape().heads
                            ? "As it was trained: 0 apart"
                            : "The same queries and keys, in so many heads"});
  }
  const Rect row{at.x + words_width, at.y, SegmentsWidth(*ui, segments), height};
  ImGui::Dummy({words_width + row.width, height + ui->Px(4.0F)});
  const int pressed = Segments(ui, "cuts", row, segments, chosen);
  if (pressed >= 0) {
    ComparedSide side;
    side.cut_heads = counts[static_cast<std::size_t>(pressed)];
    side.cut_layer = layer;
    ui->Do(CompareWith{std::move(side)});
  }
}

void DrawList(Ui* ui, const char* heading, const std::vector<ModelChoice>& models) {
  constexpr std::size_t kMost = 6;
  if (models.empty()) {
    return;
  }
  Heading(ui, heading);
  for (std::size_t i = 0; i < std::min(models.size(), kMost); ++i) {
    const ModelChoice& model = models[i];
    if (MenuRow(ui,
                model.folder.c_str(),
                model.name,
                model.about.empty() ? model.folder.string() : model.about)) {
      ChooseInCompareMenu(ui, model.folder);
    }
  }
}

void DrawSentenceChoice(Ui* ui) {
  const AppState& state = ui->state;
  if (state.model == nullptr || state.model->file != nullptr || state.model->reads_embeddings()) {
    return;
  }
  Heading(ui, "Another sentence, by the same model or by the one chosen here");
  const auto& other = state.compare.other;
  const bool has_own = other && other->input;
  if (DialogButton(ui, has_own ? "The same sentence again" : "Another sentence …", false)) {
    ComparedSide side = other.value_or(ComparedSide{});
    side.cut_heads = 0;
    if (has_own) {
      side.input.reset();
    } else {
      side.input = state.input;
      ui->memory->fields.Leave();
    }
    ui->Do(CompareWith{std::move(side)});
  }
}

void DrawPath(Ui* ui) {
  Heading(ui, "Any folder with a model, or a file: a model, or attention");
  std::string path = ui->state.dialogs.model_path;
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected);
  if (DialogField(ui,
                  "path of B",
                  &path,
                  {.hint = "/path/to/model, ~/model, org/name",
                   .takes_keys = takes_keys,
                   .beside = ui->Px(96.0F)})) {
    ui->Do(EditModelPath{path});
  }
  const bool entered = IsPressed(*ui, Key::kEnter);
  ImGui::SameLine();
  if ((DialogButton(ui, "Compare", true, !path.empty()) || entered) && !path.empty()) {
    ChooseInCompareMenu(ui, ResolveModel(ExpandHome(path).string()));
  }
  if (DialogButton(ui, "File …", false)) {
    ui->Do(ChooseFile{FileWanted::kOther});
  }
}

}  // namespace

void DrawCompareMenu(Ui* ui) {
  if (!BeginStatePopup(ui, Popup::kCompare, "side B", 560.0F)) {
    return;
  }
  const AppState& state = ui->state;
  const std::vector<std::string> families = Families(state.bundled_models);
  if (!families.empty()) {
    Heading(ui, "Bundled: trained alike, but for the number of heads");
  }
  for (const std::string& family : families) {
    DrawFamilyInCompareMenu(ui, family);
  }
  DrawCheckpointsInCompareMenu(ui);
  DrawCuts(ui);
  std::vector<ModelChoice> recent;
  std::ranges::copy_if(state.recent_models, std::back_inserter(recent), [&](const auto& model) {
    return state.model == nullptr || model.folder != state.model->folder;
  });
  DrawList(ui, "Recent", recent);
  DrawList(ui, "In the Hugging Face cache", state.cached_models);
  DrawSentenceChoice(ui);
  DrawPath(ui);
  EndStatePopup();
}

}  // namespace headscope
