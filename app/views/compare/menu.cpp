// What can stand as side B: head counts of the family, checkpoints, recent models, a path, another
// sentence.
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/files/assets.h"
#include "app/state/compare/compared.h"
#include "app/state/files/model_list.h"
#include "app/views/files/bundled_models.h"
#include "app/views/files/model_field.h"
#include "app/views/kit/popups.h"
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

void DrawSentenceChoice(Ui* ui) {
  const AppState& state = ui->state;
  if (state.model == nullptr || !state.model->reads_tokens()) {
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

// What is typed may be a sentence: for the same model, or for the one chosen here.
bool TakesSentences(const AppState& state) {
  return state.model != nullptr && state.model->reads_tokens() && state.model->takes_text;
}

void ReadInCompareMenu(Ui* ui, const std::string& sentence) {
  ComparedSide side = ui->state.compare.other.value_or(ComparedSide{});
  side.cut_heads = 0;
  side.input = ui->state.input;
  side.input->text = sentence;
  side.input->ids.clear();
  ui->Do(CompareWith{std::move(side)});
}

void Choose(Ui* ui, const ChosenModel& chosen) {
  if (!chosen.folder.empty()) {
    ChooseInCompareMenu(ui, chosen.folder);
  } else if (!chosen.typed.empty()) {
    const std::filesystem::path model = ResolveModel(ExpandHome(chosen.typed).string());
    std::error_code unreadable;
    // A folder's name may have blanks, too.
    if (TakesSentences(ui->state) && LooksLikeSentence(chosen.typed) &&
        !std::filesystem::exists(model, unreadable)) {
      ReadInCompareMenu(ui, chosen.typed);
    } else {
      ChooseInCompareMenu(ui, model);
    }
  }
}

}  // namespace

void DrawCompareMenu(Ui* ui) {
  const AppState& state = ui->state;
  const bool takes_sentences = TakesSentences(state);
  Heading(ui,
          takes_sentences
              ? "Find a model, name a folder or a file, or type another sentence"
              : "Find a model, or name one: a folder, or a file with a model or with attention");
  Choose(ui, DrawModelField(ui, "path of B", "Compare", takes_sentences));
  if (IsFiltered(state)) {
    return;
  }
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
  Choose(ui, DrawModelList(ui, "Recent", OtherRecentModels(state), 6));
  Choose(ui, DrawModelList(ui, "In the Hugging Face cache", state.cached_models, 6));
  DrawSentenceChoice(ui);
  if (DialogButton(ui, "File …", false)) {
    ui->Do(ChooseFile{FileWanted::kOther});
  }
}

}  // namespace headscope
