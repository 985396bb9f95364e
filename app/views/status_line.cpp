// What was computed and how fast, precision, flags, the convention; progress with cancel.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/status_words.h"
#include "app/state/time_left.h"
#include "app/state/work_under_way.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "core/base/grouped.h"

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

std::vector<const TrainRunShown*> RunningTrainings(const AppState& state) {
  std::vector<const TrainRunShown*> running;
  for (const TrainRunShown& run : state.train.runs) {
    if (run.sight != nullptr && run.sight->is_running) {
      running.push_back(&run);
    }
  }
  return running;
}

// ", 12 s left", from its pace since it was first seen here; empty: it says so itself, or nobody knows.
std::string WorkLeft(Ui* ui, const WorkUnderWay& work) {
  const Progress& progress = work.progress;
  if (progress.total <= 0 || progress.what.find(" left") != std::string::npos) {
    return "";
  }
  WorkPace& pace = ui->memory->work_paces[work.request];
  if (pace.total != progress.total || progress.done < pace.done) {  // new, or another part of it
    pace = {.since_s = ui->now_s, .done = progress.done, .total = progress.total};
  }
  const double spent = ui->now_s - pace.since_s;
  const std::int64_t done = progress.done - pace.done;
  constexpr double kMoment = 1.0;  // before it nothing can be told
  if (spent < kMoment || done <= 0) {
    return "";
  }
  const auto left = static_cast<double>(progress.total - progress.done);
  return ", " + TimeLeft(spent / static_cast<double>(done) * left);
}

void ForgetPaces(Ui* ui, const std::vector<WorkUnderWay>& all) {
  std::erase_if(ui->memory->work_paces, [&all](const auto& pace) {
    return std::ranges::find(all, pace.first, &WorkUnderWay::request) == all.end();
  });
}

// Words, bar and Cancel are of the same work.
void DrawWork(Ui* ui, Row* row, const WorkUnderWay& work) {
  const Progress& progress = work.progress;
  if (progress.total > 0) {
    const float part = static_cast<float>(progress.done) / static_cast<float>(progress.total);
    DrawProgressBar(*ui, row->Left(ui->Px(120.0F)), std::clamp(part, 0.0F, 1.0F));
    row->Skip(10.0F);
  }
  const std::string words = progress.what + WorkLeft(ui, work);
  row->Left(DrawTextIn(*ui, row->rest(), words, Type::kSmall, ui->colors().text));
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
  ForgetPaces(ui, all);
  const std::size_t others =
      all.size() + RunningTrainings(state).size() - (work != nullptr ? 1 : 0);
  if (work != nullptr && others > 0) {
    const std::string more = fmt::format("{} more …", others);
    const ButtonLook look{.text = more,
                          .tooltip = "All that is being computed, each with a button that stops it",
                          .type = Type::kSmall,
                          .bare = true};
    const Rect place = Inset(row.Left(ButtonWidth(*ui, look)), 0.0F, ui->Px(4.0F));
    PopupButton(ui, "more work", place, look, Popup::kWork);
    row.Skip(12.0F);
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

namespace {

// A line of the list: what it is, how far it is, and the way to stop it. Returns whether that was pressed.
bool DrawWorkLine(Ui* ui,
                  const std::string& id,
                  const Progress& progress,
                  const std::string& words,
                  const char* stop) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect area{at.x, at.y, ImGui::GetContentRegionAvail().x, ui->Px(34.0F)};
  Row row(ui, area);
  bool pressed = false;
  if (stop != nullptr) {
    const ButtonLook look{.text = stop, .type = Type::kSmall};
    const Rect place = row.Right(ButtonWidth(*ui, look));
    pressed = Button(ui, ("stop " + id).c_str(), Inset(place, 0.0F, ui->Px(5.0F)), look);
    row.SkipRight(10.0F);
  }
  if (progress.total > 0) {
    const float part = static_cast<float>(progress.done) / static_cast<float>(progress.total);
    DrawProgressBar(*ui, row.Right(ui->Px(100.0F)), std::clamp(part, 0.0F, 1.0F));
    row.SkipRight(10.0F);
  }
  row.Text(words, Type::kBody, ui->colors().text);
  ImGui::Dummy({1.0F, area.height});
  return pressed;
}

}  // namespace

void DrawWorkMenu(Ui* ui) {
  const std::vector<WorkUnderWay> all = AllWork(ui->state);
  const std::vector<const TrainRunShown*> trainings = RunningTrainings(ui->state);
  if (all.empty() && trainings.empty()) {
    Heading(ui, "Nothing is being computed.");
    return;
  }
  Heading(ui, "What is being computed; the rest waits for the first line");
  for (const WorkUnderWay& work : all) {
    if (DrawWorkLine(ui,
                     fmt::format("work {}", work.request),
                     work.progress,
                     work.progress.what + WorkLeft(ui, work),
                     work.is_long ? "Stop" : nullptr)) {
      ui->Do(StopWork{work.request});
    }
  }
  if (!trainings.empty()) {
    Heading(ui, "Training, beside it");
  }
  for (const TrainRunShown* const run : trainings) {
    // It has no last step, so there is no bar.
    if (DrawWorkLine(ui,
                     fmt::format("run {}", run->id),
                     {},
                     fmt::format("{}: step {}, until it is paused",
                                 TrainKnobWords(run->knobs),
                                 Grouped(run->sight->step)),
                     "Pause")) {
      ui->Do(PauseTraining{run->id});
    }
  }
  if (!all.empty() && DialogButton(ui, "Stop all of the upper list (Ctrl .)", false)) {
    ui->Do(CancelWork);
  }
}

}  // namespace headscope
