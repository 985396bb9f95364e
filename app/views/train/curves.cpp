// Curves of all runs by their number of heads: those that are here, those that were, and those of a
// folder.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/chart.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/pen.h"
#include "app/views/train/panels.h"
#include "core/figure/chart_grid.h"

namespace headscope {
namespace {

constexpr float kCurveWidth = 380.0F;  // unscaled, at least
constexpr float kCurveHeight = 230.0F;

// Where the bundled models that learnt to copy lie; empty: there are none with steps.
std::filesystem::path BundledRuns(const AppState& state) {
  for (const ModelChoice& model : state.bundled_models) {
    if (model.name.starts_with("copy-h") && !model.checkpoint_steps.empty()) {
      return model.folder.parent_path();
    }
  }
  return {};
}

// Where runs come from and go.
float DrawCurveButtons(Ui* ui, const Rect& area) {
  const TrainCurvesState& curves = ui->state.train.curves;
  Flow flow(ui, area);
  if (flow.Button(
          "train folder",
          {.text = "Runs of a folder…",
           .tooltip = "A folder with runs that headscope train or Save wrote, of any number "
                      "of heads and any seeds"})) {
    ui->Do(ChooseFile{FileWanted::kTrainRuns});
  }
  const std::filesystem::path bundled = BundledRuns(ui->state);
  const bool is_there = !curves.read.answer.empty() && curves.chosen->folder == bundled;
  if (!bundled.empty() && !is_there &&
      flow.Button(
          "train bundled",
          {.text = "Bundled: copy-h1 to h16",
           .tooltip = "The bundled models that learnt to copy, measured at their kept steps: one "
                      "run of each number of heads"})) {
    ui->Do(ReadTrainFolder{bundled});
  }
  if (!curves.read.answer.empty()) {
    if (flow.Button(
            "train forget folder",
            {.text = fmt::format("Without those of {}", curves.chosen->folder.filename().string()),
             .bare = true})) {
      ui->Do(ForgetTrainFolder);
    }
  }
  if (curves.curves != nullptr) {
    flow.PopupButton("train export",
                     {.text = "Export", .tooltip = "These curves as a picture or a table"},
                     Popup::kExport);
  }
  return flow.height();
}

void DrawCurveCharts(Pen* pen, const TrainingCurves& curves) {
  Ui* const ui = pen->ui;
  const float gap = ui->Px(16.0F);
  const auto places_in = [&](float height) {
    return GridPlaces(
        {pen->x, pen->y, pen->width, height}, kCurveQuantities, ui->Px(kCurveWidth), gap);
  };
  const auto flat = places_in(1.0F);
  const auto rows = static_cast<float>(
      std::ranges::count_if(flat, [&](const Rect& one) { return one.x == pen->x; }));
  const float height = rows * ui->Px(kCurveHeight) + (rows - 1.0F) * gap;
  const auto places = places_in(height);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Chart chart = CurvesChart(curves, AllTrainCurveWords()[i], ui->state.theme);
    DrawChart(ui, fmt::format("train curve {}", i).c_str(), places[i], chart);
  }
  pen->y += height;
}

}  // namespace

void DrawTrainCurves(Ui* ui, const Rect& area) {
  const TrainCurvesState& state = ui->state.train.curves;
  const float buttons = DrawCurveButtons(ui, area);
  const Rect rest{area.x, area.y + buttons, area.width, std::max(1.0F, area.height - buttons)};
  BeginScroll("train curves", rest);
  const float pad = ui->Px(14.0F);
  Pen pen{ui,
          rest.x + pad,
          rest.y - ImGui::GetScrollY() + ui->Px(6.0F),
          std::max(ui->Px(60.0F), rest.width - 2.0F * pad)};
  if (!state.read.fault.empty()) {
    pen.Small(state.read.fault, ui->colors().text);
    pen.Skip(6.0F);
  }
  if (state.curves == nullptr) {
    pen.Paragraph(
        "No run has numbers yet. Train some above, with several numbers of heads and seeds, or choose "
        "a folder of runs. Those of one task are drawn together: one colour for each number of heads, "
        "the mean over its seeds with the standard error.",
        Type::kBody,
        ui->colors().text);
  } else {
    pen.Paragraph(state.curves->task + ".", Type::kBody, ui->colors().text);
    DrawChartKey(&pen, LegendOfCurves(*state.curves, ui->state.theme));
    pen.Small(CurvesSeeds(*state.curves), ui->colors().muted);
    pen.Skip(8.0F);
    DrawCurveCharts(&pen, *state.curves);
    pen.Skip(8.0F);
    for (const std::string& note : state.curves->notes) {
      pen.Small(note, ui->colors().muted);
    }
  }
  ImGui::SetCursorScreenPos({rest.x, pen.y + pad});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope
