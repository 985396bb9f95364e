// Models and samples.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/state/files/model_list.h"
#include "app/state/queries.h"
#include "app/state/text/samples.h"
#include "app/views/files/bundled_models.h"
#include "app/views/files/model_field.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

enum class SampleKind { kForThisModel, kForAnyModel, kOpensItsModel };

void DrawPrecision(Ui* ui) {
  Heading(ui, "Precision");
  const Status can = CheckPrecision(Precision::kBf16);
  constexpr std::array kPrecisions = {Precision::kF32, Precision::kBf16};
  const std::array<std::string, 2> names = {"float32", "bfloat16"};
  const int now = ui->state.precision == Precision::kBf16 ? 1 : 0;
  if (const int pressed = DialogChoices(ui, "precision", names, now, can.has_value());
      pressed >= 0) {
    ui->Do(SetPrecision{kPrecisions.at(static_cast<std::size_t>(pressed))});
  }
  if (!can) {
    ImGui::SameLine();
    Heading(ui, "this processor has no bfloat16 products (AVX512_BF16)");
  }
  ImGui::Dummy({1.0F, ui->Px(4.0F)});
}

}  // namespace

void DrawModelMenu(Ui* ui) {
  const AppState& state = ui->state;
  const auto open = [ui](const ChosenModel& chosen) {
    if (!chosen.folder.empty()) {
      ui->Do(OpenFolder{chosen.folder});
    } else if (!chosen.typed.empty()) {
      ui->Do(OpenTyped{chosen.typed});
    }
  };
  Heading(ui, "Find a model, or name one: a folder, or a file with a model or with attention");
  open(DrawModelField(ui, "model path", "Open"));
  if (!IsFiltered(state)) {
    DrawBundledModels(ui);
    open(DrawModelList(ui, "Recent", OtherRecentModels(state), 8));
    open(DrawModelList(ui, "In the Hugging Face cache", state.cached_models, 12));
  }
  DrawPrecision(ui);
  if (DialogButton(ui, "File …", false)) {
    ui->Do(ChooseFile{FileWanted::kOpen});
  }
  ImGui::SameLine();
  if (DialogButton(ui, "Folder …", false)) {
    ui->Do(ChooseFile{FileWanted::kOpenFolder});
  }
  ImGui::SameLine();
  if (DialogButton(ui, "Sessions …", false)) {
    OpenForTyping(ui, Popup::kSessions);
  }
  Heading(ui, "or drop a folder or a file anywhere on the window");
}

void DrawSamplesMenu(Ui* ui) {
  if (ui->state.samples.empty()) {
    Heading(ui, "No samples were found beside the program.");
  }
  const ModelInfo* model = ui->state.model.get();
  const auto kind_of = [model](const Sample& sample) {
    if (IsMadeFor(sample, model)) {
      return SampleKind::kForThisModel;
    }
    return sample.only_model ? SampleKind::kOpensItsModel : SampleKind::kForAnyModel;
  };
  const std::array<std::pair<SampleKind, const char*>, 3> groups = {
      {{SampleKind::kForThisModel, "Chosen for this model"},
       {SampleKind::kOpensItsModel, "These open their own model"},
       {SampleKind::kForAnyModel,
        model != nullptr && model->reads_ids_alone() ? "For models that read text, as this does not"
                                                     : "For any model that knows the words"}}};
  for (const auto& [kind, heading] : groups) {
    bool headed = false;
    for (std::size_t i = 0; i < ui->state.samples.size(); ++i) {
      const Sample& sample = ui->state.samples[i];
      if (kind_of(sample) != kind) {
        continue;
      }
      if (!headed) {
        Heading(ui, heading);
        headed = true;
      }
      const bool opens = kind == SampleKind::kOpensItsModel;
      ImGui::PushID(static_cast<int>(i));
      if (MenuRow(ui,
                  "sample",
                  opens ? sample.title + "  (" + sample.model + ")" : sample.title,
                  AboutSample(sample, model))) {
        ui->Do(ChooseSample{i});
      }
      ImGui::PopID();
    }
  }
}

void DrawJumpBox(Ui* ui) {
  const Dialogs& dialogs = ui->state.dialogs;
  Heading(ui, "Go to head");
  const char* const ways = HasParts(ui->state) ? "E5H1, D5H1, X5H1, 5.1, cross layer 5 head 1"
                                               : "L5H1, 5.1, 5-1, layer 5 head 1";
  std::string text = dialogs.jump_text;
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNow);
  if (DialogField(ui, "jump", &text, {.hint = ways, .takes_keys = takes_keys})) {
    ui->Do(EditJump{text});
  }
  if (IsPressed(*ui, Key::kEnter)) {
    ui->Do(Jump);
  }
  if (!dialogs.jump_error.empty()) {
    SmallParagraph(ui, dialogs.jump_error, ui->colors().text);
  }
}

}  // namespace headscope
