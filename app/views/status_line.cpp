// What was computed and how fast, precision, flags, the convention; progress with cancel.
#include <algorithm>
#include <cmath>
#include <string>

#include <imgui.h>

#include "app/state/ablation_words.h"
#include "app/state/head_scores.h"
#include "app/state/queries.h"
#include "app/state/series_words.h"
#include "app/state/status_words.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

// Shown only after a moment, so that quick work does not flicker.
bool ShowsWork(const Ui& ui) {
  const AppState& state = ui.state;
  if (!state.pending.layers.empty() && state.opening_folder.empty()) {
    return ui.now_s - state.pending.started_s > 0.15;
  }
  return !state.opening_folder.empty() || state.counts.request != 0 || state.scan.request != 0 ||
         state.probe_scan.request != 0 || state.ablation.request != 0 ||
         state.series.request != 0 || state.measures.request != 0 || state.compare.request != 0 ||
         state.dialogs.exporting.request != 0;
}

float DrawWork(Ui* ui, float x, const Rect& line) {
  const ThemeColors& colors = ui->colors();
  const HeadScanReport* const scan = ui->state.scan.request != 0 ? ScanInView(ui->state) : nullptr;
  Progress progress = ui->state.pending.progress;
  if (scan != nullptr && ui->state.pending.layers.empty()) {
    progress.done = scan->done;
    progress.total = scan->total;
  } else if (ui->state.probe_scan.request != 0 && ui->state.pending.layers.empty()) {
    if (const HeadScanReport* const own = ui->state.probe_scan.under_way.get()) {
      progress.done = own->done;
      progress.total = own->total;
    }
  } else if (ui->state.compare.request != 0 && ui->state.pending.layers.empty()) {
    progress = ui->state.compare.progress;
  } else if (const AblationReport* const ablated = AblationUnderWay(ui->state)) {
    progress.done = ablated->done;
    progress.total = ablated->total;
  } else if (ui->state.series.request != 0) {
    progress.total = 1000;
    progress.done = std::llround(1000.0 * SeriesPartDone(ui->state));
  } else if (ui->state.measures.request != 0) {
    progress = ui->state.measures.progress;
  }
  const float bar = ui->Px(120.0F);
  const float height = ui->Px(5.0F);
  const Rect track{x, line.y + (line.height - height) / 2.0F, bar, height};
  FillRect(*ui, track, colors.raised, 3.0F);
  if (progress.total > 0) {
    const float part = static_cast<float>(progress.done) / static_cast<float>(progress.total);
    FillRect(
        *ui, {track.x, track.y, bar * std::clamp(part, 0.0F, 1.0F), height}, colors.accent, 3.0F);
  }
  x += bar + ui->Px(10.0F);
  x += DrawTextIn(
      *ui, {x, line.y, 0.0F, line.height}, WorkWords(ui->state), Type::kSmall, colors.text);
  const ButtonLook look{.text = "Cancel",
                        .tooltip = "Stop this; what was shown before stays (Ctrl+.)",
                        .type = Type::kSmall};
  const float width = ButtonWidth(*ui, look);
  x += ui->Px(10.0F);
  if (Button(ui, "cancel", {x, line.y + ui->Px(4.0F), width, line.height - ui->Px(8.0F)}, look)) {
    ui->Do(CancelWork{});
  }
  return x + width + ui->Px(20.0F);
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

  const bool working = ShowsWork(*ui);
  if (working) {
    x = DrawWork(ui, x, line);
  } else if (Busy(state)) {
    ui->WakeIn(0.1);
  }
  const auto say = [&](const std::string& words, Rgb color) {
    const float width = TextWidth(*ui, words, Type::kSmall);
    if (x + width <= right && !words.empty()) {
      DrawTextIn(*ui, {x, line.y, width, line.height}, words, Type::kSmall, color);
      x += width + gap;
    }
  };
  const StatusWords words = StatusOf(state, working);
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
