// What was computed and how fast, precision, flags, the convention; progress with cancel.
#include <algorithm>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/state/status_words.h"
#include "app/state/work_under_way.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
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
float DrawWork(Ui* ui, float x, const Rect& line, const WorkUnderWay& work) {
  const ThemeColors& colors = ui->colors();
  const Progress& progress = work.progress;
  if (progress.total > 0) {
    const float bar = ui->Px(120.0F);
    const float part = static_cast<float>(progress.done) / static_cast<float>(progress.total);
    DrawProgressBar(*ui, {x, line.y, bar, line.height}, std::clamp(part, 0.0F, 1.0F));
    x += bar + ui->Px(10.0F);
  }
  x += DrawTextIn(*ui, {x, line.y, 0.0F, line.height}, progress.what, Type::kSmall, colors.text);
  if (work.is_long) {
    const ButtonLook look{.text = "Cancel",
                          .tooltip = "Stop this; what was shown before stays (Ctrl+.)",
                          .type = Type::kSmall};
    const float width = ButtonWidth(*ui, look);
    x += ui->Px(10.0F);
    if (Button(ui, "cancel", {x, line.y + ui->Px(4.0F), width, line.height - ui->Px(8.0F)}, look)) {
      ui->Do(CancelWork{});
    }
    x += width;
  }
  return x + ui->Px(20.0F);
}

}  // namespace

void DrawStatusLine(Ui* ui) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const Rect& line = ui->layout.status;
  const float gap = ui->Px(24.0F);
  float x = line.x + ui->Px(16.0F);

  const ButtonLook keys{
      .text = "keys", .tooltip = "Keys and mouse (?)", .type = Type::kSmall, .bare = true};
  const float keys_width = ButtonWidth(*ui, keys);
  float right = line.x + line.width - ui->Px(8.0F) - keys_width;
  if (Button(ui,
             "keys",
             {right, line.y + ui->Px(3.0F), keys_width, line.height - ui->Px(6.0F)},
             keys)) {
    ui->Do(SetScreen{&ScreenNamed("help").kind});
  }
  right -= ui->Px(8.0F);

  const std::vector<WorkUnderWay> all = AllWork(state);
  const WorkUnderWay* const work = ShownWork(ui, all);
  if (work != nullptr) {
    x = DrawWork(ui, x, line, *work);
  } else if (!all.empty()) {
    ui->WakeIn(0.1);
  }
  const auto say = [&](const std::string& words, Rgb color) {
    const float width = TextWidth(*ui, words, Type::kSmall);
    if (x + width <= right && !words.empty()) {
      DrawTextIn(*ui, {x, line.y, width, line.height}, words, Type::kSmall, color);
      x += width + gap;
    }
  };
  const StatusWords words = StatusOf(state, work != nullptr);
  if (!words.done.empty()) {
    const float middle = line.y + line.height / 2.0F;
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {x + ui->Px(4.0F), middle}, ui->Px(3.5F), ToImGui(colors.accent));
    x += ui->Px(14.0F);
    say(words.done, colors.muted);
  }
  for (const std::string& other : words.others) {
    say(other, colors.muted);
  }
  say(words.convention, colors.dim);
}

}  // namespace headscope
