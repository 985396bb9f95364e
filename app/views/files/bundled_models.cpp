#include "app/views/files/bundled_models.h"

#include <algorithm>

#include <imgui.h>

#include "app/files/assets.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "core/model/model_folder.h"
#include "core/model/model_series.h"

namespace headscope {

std::vector<ChoiceRow> BundledFamilies(const std::vector<ModelChoice>& models) {
  std::vector<ChoiceRow> rows;
  for (const ModelChoice& model : models) {
    const auto member = ParseFamilyMember(model.name);
    if (!member) {
      continue;
    }
    auto row = std::ranges::find(rows, member->family, &ChoiceRow::id);
    if (row == rows.end()) {
      row = rows.insert(row, {member->family, member->family + ", heads"});
    }
    const std::string about = model.about.empty() ? "" : " · " + model.about;
    row->choices.push_back(
        {std::to_string(member->heads), model.name + about, model.folder, model.name});
  }
  for (ChoiceRow& row : rows) {
    std::ranges::sort(row.choices, {}, [](const RowChoice& choice) {
      return ParseFamilyMember(choice.name)->heads;
    });
  }
  return rows;
}

ChoiceRow CheckpointsOf(const ModelChoice& model) {
  ChoiceRow row{"checkpoints", model.name + ", step"};
  for (const std::int64_t step : model.checkpoint_steps) {
    const std::string number = std::to_string(step);
    const std::string folder = std::string(kCheckpointPrefix) + number;
    row.choices.push_back({number,
                           model.name + " after " + number + " steps of training",
                           model.folder / folder,
                           model.name + "/" + folder});
  }
  row.choices.push_back(
      {"trained", model.name + " at the end of its training", model.folder, model.name});
  return row;
}

const RowChoice* DrawChoiceRow(Ui* ui,
                               const ChoiceRow& row,
                               float from,
                               const std::function<bool(const RowChoice&)>& is_chosen) {
  std::vector<SegmentChoice> segments;
  int chosen = -1;
  for (const RowChoice& choice : row.choices) {
    chosen = is_chosen(choice) ? static_cast<int>(segments.size()) : chosen;
    segments.push_back({choice.text, choice.tooltip});
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Row line(ui, {at.x, at.y, ui->Px(from) + SegmentsWidth(*ui, segments), ui->Px(28.0F)});
  Rect words = line.Left(ui->Px(from));
  words.x += ui->Px(8.0F);
  DrawTextIn(*ui, words, row.words, Type::kBody, ui->colors().text, words.width);
  ImGui::Dummy({line.whole().width, line.whole().height + ui->Px(4.0F)});
  const int pressed = Segments(ui, row.id.c_str(), line.rest(), segments, chosen);
  return pressed >= 0 ? &row.choices[static_cast<std::size_t>(pressed)] : nullptr;
}

void DrawBundledModels(Ui* ui) {
  const std::vector<ModelChoice>& models = ui->state.bundled_models;
  if (models.empty()) {
    return;
  }
  const std::string open = ui->state.model != nullptr ? ui->state.model->name : std::string();
  const auto row_of = [ui](const ModelChoice& model) {
    const std::string about = model.about.empty() ? model.folder.string() : model.about;
    if (MenuRow(ui, model.folder.c_str(), model.name, about)) {
      ui->Do(OpenFolder{model.folder});
    }
  };
  const auto draw_choices = [&](const ChoiceRow& row) {
    const auto is_open = [&open](const RowChoice& choice) { return choice.name == open; };
    if (const RowChoice* const pressed = DrawChoiceRow(ui, row, 128.0F, is_open)) {
      ui->Do(OpenFolder{pressed->folder});
    }
  };
  const auto first = std::ranges::find(models, kDefaultModel, &ModelChoice::name);
  if (first != models.end()) {
    Heading(ui, "Bundled: English, what a first start opens");
    row_of(*first);
  }
  Heading(ui, "Trained alike, but for the number of heads");
  for (const ChoiceRow& family : BundledFamilies(models)) {
    draw_choices(family);
  }
  for (const ModelChoice& model : models) {
    const bool is_open = open == model.name || open.starts_with(model.name + "/");
    if (is_open && !model.checkpoint_steps.empty()) {
      draw_choices(CheckpointsOf(model));
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
