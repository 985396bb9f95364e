// Runs on disk: those that were under way when their window ended, and those that were closed or failed.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/train/panels.h"

namespace headscope {
namespace {

constexpr float kKeptLine = 34.0F;

void DrawKeptRun(Pen* pen, const KeptRun& run) {
  Ui* ui = pen->ui;
  const std::string id = run.folder.string();
  Row row(ui, {pen->x, pen->y, pen->width, ui->Px(kKeptLine - 4.0F)});
  if (row.ButtonRight(fmt::format("discard {}", id).c_str(),
                      {.text = "Discard", .tooltip = "Removes its folder from the disk"})) {
    ui->Do(DiscardTraining{run.folder});
  }
  if (run.can_go_on) {
    row.SkipRight(6.0F);
    const bool trains = run.end == RunEnd::kUnderWay;
    if (row.ButtonRight(
            fmt::format("resume {}", id).c_str(),
            {.text = trains ? "Go on" : "Open",
             .tooltip = trains ? "Trains on from there, with the same bits as a run that "
                                 "never stopped"
                               : "Paused, with its curves and kept steps",
             .primary = trains})) {
      ui->Do(ResumeTraining{run.folder, trains});
    }
  }
  Pen words{ui, pen->x, pen->y + ui->Px(5.0F), row.rest().width - ui->Px(10.0F)};
  words.Paragraph(KeptRunWords(run), Type::kBody, ui->colors().text, 3);
  if (!run.fault.empty()) {
    words.Paragraph(run.fault, Type::kSmall, ui->colors().muted, 6);
  }
  pen->y = std::max(pen->y + ui->Px(kKeptLine), words.y + ui->Px(4.0F));
}

}  // namespace

void DrawKeptRuns(Pen* pen) {
  Ui* ui = pen->ui;
  pen->width = std::min(pen->width, ui->Px(720.0F));
  pen->Text("Kept runs", Type::kBold, ui->colors().text, 22.0F);
  pen->Small(
      fmt::format("Runs are written to disk every 100 steps as they train. The newest {} are kept, "
                  "older ones are removed; Save keeps one for good.",
                  kMostKeptRuns),
      ui->colors().muted);
  pen->Skip(6.0F);
  for (const KeptRun& run : ui->state.train.kept.runs) {
    DrawKeptRun(pen, run);
  }
  if (ui->state.train.kept.runs.empty()) {
    pen->Small("There are none.", ui->colors().muted);
  }
}

void DrawTrainKept(Ui* ui, const Rect& area) {
  const float pad = ui->Px(28.0F);
  BeginScroll("kept runs", area);
  Pen pen{ui, area.x + pad, area.y + ui->Px(20.0F) - ImGui::GetScrollY(), area.width - 2.0F * pad};
  DrawKeptRuns(&pen);
  ImGui::SetCursorScreenPos({area.x, pen.y + pad});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope
