// What was computed and how fast, precision, flags, the convention; progress with cancel.
#include <algorithm>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/state/status_words.h"
#include "app/state/work_under_way.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/pen.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

// What the worker is at; null: nothing, or nothing that has taken a moment yet, so that quick work does
// not flicker.
const WorkUnderWay* ShownWork(Ui* ui, const std::vector<WorkUnderWay>& all) {
  constexpr double kMoment = 0.15;
  ViewMemory& memory = *ui->memory;
  const RequestId request = all.empty() ? 0 : all.front().request;
  if (memory.working_on != request) {
    memory.working_on = request;
    memory.working_since_s = ui->now_s;
  }
  if (all.empty()) {
    return nullptr;
  }
  const Attendance& pending = ui->state.pending;
  const bool is_text = request != 0 && request == pending.request;
  const double since = is_text ? pending.started_s : memory.working_since_s;
  const bool waits = is_text || !all.front().is_long;
  return !waits || ui->now_s - since > kMoment ? &all.front() : nullptr;
}

// Words, bar and Cancel are of the same work.
void DrawWork(Ui* ui, Row* row, const WorkUnderWay& work) {
  const Progress& progress = work.progress;
  if (progress.total > 0) {
    const float part = static_cast<float>(progress.done) / static_cast<float>(progress.total);
    DrawProgressBar(*ui, row->Left(ui->Px(120.0F)), std::clamp(part, 0.0F, 1.0F));
    row->Skip(10.0F);
  }
  row->Left(DrawTextIn(*ui, row->rest(), progress.what, Type::kSmall, ui->colors().text));
  if (work.is_long) {
    const ButtonLook look{.text = "Cancel",
                          .tooltip = "Stop this; what was shown before stays (Ctrl+.)",
                          .type = Type::kSmall};
    row->Skip(10.0F);
    const Rect place = row->Left(ButtonWidth(*ui, look));
    if (Button(ui, "cancel", Inset(place, 0.0F, ui->Px(4.0F)), look)) {
      ui->Do(CancelWork);
    }
  }
  row->Skip(20.0F);
}

}  // namespace

void DrawStatusLine(Ui* ui) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  Row row(ui, ui->layout.status);
  row.Skip(16.0F);
  row.SkipRight(8.0F);

  const ButtonLook keys{
      .text = "keys", .tooltip = "Keys and mouse (?)", .type = Type::kSmall, .bare = true};
  if (Button(ui, "keys", Inset(row.Right(ButtonWidth(*ui, keys)), 0.0F, ui->Px(3.0F)), keys)) {
    ui->Do(SetScreen{&ScreenNamed("help").kind});
  }
  row.SkipRight(8.0F);

  const std::vector<WorkUnderWay> all = AllWork(state);
  const WorkUnderWay* const work = ShownWork(ui, all);
  if (work != nullptr) {
    DrawWork(ui, &row, *work);
  } else if (!all.empty()) {
    ui->WakeIn(0.1);
  }
  const auto say = [&](const std::string& words, Rgb color) {
    if (TextWidth(*ui, words, Type::kSmall) <= row.rest().width && !words.empty()) {
      row.Text(words, Type::kSmall, color);
      row.Skip(24.0F);
    }
  };
  const StatusWords words = StatusOf(state, work != nullptr);
  if (!words.done.empty()) {
    const Rect dot = row.Left(ui->Px(14.0F));
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {dot.x + ui->Px(4.0F), dot.y + dot.height / 2.0F}, ui->Px(3.5F), ToImGui(colors.accent));
    say(words.done, colors.muted);
  }
  for (const std::string& other : words.others) {
    say(other, colors.muted);
  }
  say(words.convention, colors.dim);
}

}  // namespace headscope
