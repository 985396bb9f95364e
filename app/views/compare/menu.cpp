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
#include "app/views/files/bundled_models.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/home_path.h"

namespace headscope {
namespace {

// The text of side B stays where it is another model's turn.
void ChooseInCompareMenu(Ui* ui, const std::filesystem::path& model) {
  ComparedSide side{.model = model};
  if (const auto& other = ui->state.compare.other) {
    side.input = other->input;
  }
  ui->Do(CompareWith{std::move(side)});
}

void DrawBundledInCompareMenu(Ui* ui, const ChoiceRow& row) {
  const auto is_chosen = [&other = ui->state.compare.other](const RowChoice& choice) {
    return other && other->model == choice.folder;
  };
  if (const RowChoice* const pressed = DrawChoiceRow(ui, row, 140.0F, is_chosen)) {
    ChooseInCompareMenu(ui, pressed->folder);
  }
}

// One of side A's own layers under other head counts, of the same weights.
void DrawCuts(Ui* ui) {
  const LayerView view = SelectedLayer(ui->state);
  if (view.layer == nullptr || !view.layer->has_scores() || view.stale || view.outdated) {
    return;
  }
  const std::int64_t layer = view.layer->layer();
  ChoiceRow row{"cuts", LayerName({view.layer->part(), layer}) + ", heads"};
  for (const std::int64_t count : CountsFor(*view.layer)) {
    row.choices.push_back({std::to_string(count),
                           count == view.layer->shape().heads
                               ? "As it was trained: 0 apart"
                               : "The same queries and keys, in so many heads"});
  }
  const auto is_chosen = [layer, &other = ui->state.compare.other](const RowChoice& choice) {
    return other && other->cut_layer == layer && choice.text == std::to_string(other->cut_heads);
  };
  Heading(ui, "The selected layer, its weights cut into other heads");
  if (const RowChoice* const pressed = DrawChoiceRow(ui, row, 140.0F, is_chosen)) {
    ComparedSide side;
    side.cut_heads = std::stoll(pressed->text);
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
  const AppState& state = ui->state;
  const std::vector<ChoiceRow> families = BundledFamilies(state.bundled_models);
  if (!families.empty()) {
    Heading(ui, "Bundled: trained alike, but for the number of heads");
  }
  for (const ChoiceRow& family : families) {
    DrawBundledInCompareMenu(ui, family);
  }
  if (const ModelChoice* const model = BundledOf(state);
      model != nullptr && !model->checkpoint_steps.empty()) {
    Heading(ui, "The open model earlier in its training");
    DrawBundledInCompareMenu(ui, CheckpointsOf(*model));
  }
  DrawCuts(ui);
  std::vector<ModelChoice> recent;
  std::ranges::copy_if(state.recent_models, std::back_inserter(recent), [&](const auto& model) {
    return state.model == nullptr || model.folder != state.model->folder;
  });
  DrawList(ui, "Recent", recent);
  DrawList(ui, "In the Hugging Face cache", state.cached_models);
  DrawSentenceChoice(ui);
  DrawPath(ui);
}

}  // namespace headscope
