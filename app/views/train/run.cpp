// One training run: what it is, its buttons, curves, numbers, the maps of all heads, kept steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/chart.h"
#include "app/views/kit/pen.h"
#include "app/views/maps/map_textures.h"
#include "app/views/train/panels.h"
#include "core/heads/measure/head_name.h"

namespace headscope {
namespace {

constexpr Rgb kPreviousInk = RgbOf(0x56B4E9);
constexpr Rgb kDuplicateInk = RgbOf(0xCC79A7);
constexpr Rgb kInductionInk = RgbOf(0xE69F00);
constexpr float kHeadLine = 15.0F;  // of the numbers below a map

// Places one after another, on as many lines as they take.
class WrappedLine {
 public:
  WrappedLine(Pen* pen, float unscaled)
      : pen_(*pen), x_(pen->x), height_(pen->ui->Px(unscaled)), gap_(pen->ui->Px(4.0F)) {}
  Rect Next(float width) {
    if (x_ + width > pen_.x + pen_.width && x_ > pen_.x) {
      x_ = pen_.x;
      pen_.y += height_ + gap_;
    }
    const Rect place{x_, pen_.y, width, height_};
    x_ += width + gap_;
    return place;
  }
  bool Button(const std::string& id, const ButtonLook& look) {
    return headscope::Button(pen_.ui, id.c_str(), Next(ButtonWidth(*pen_.ui, look)), look);
  }
  // Below the last line.
  void End() { pen_.y += height_ + gap_; }

 private:
  Pen& pen_;
  float x_;
  float height_;
  float gap_;
};

double BestOf(const HeadTable& table) {
  double best = 0.0;
  for (const std::vector<double>& layer : table) {
    best = std::max(best, *std::ranges::max_element(layer));
  }
  return best;
}

struct TrainScoreLine {
  const char* name;
  HeadTable TrainMeasures::*table;
  Rgb ink;
};
constexpr std::array<TrainScoreLine, 3> kTrainScores = {{
    {"previous", &TrainMeasures::previous_token, kPreviousInk},
    {"duplicate", &TrainMeasures::duplicate_token, kDuplicateInk},
    {"induction", &TrainMeasures::induction, kInductionInk},
}};

// Runs share one clock: the axis ends where the longest one is.
double LastStepOf(const AppState& state) {
  std::int64_t last = 100;
  for (const TrainRunShown& run : state.train.runs) {
    last = std::max(last, run.sight == nullptr ? 0 : run.sight->step);
  }
  return static_cast<double>(last);
}

// Joins points by lines; those within a pixel of the one before are passed over, but for the last.
// A long run has more of them than its chart has pixels, and each line takes time in every frame.
template <typename Points, typename Value>
void AddCurve(const Points& points, const Value& value, Rgb ink, const Rect& place, Chart* chart) {
  const double across = static_cast<double>(place.width) / (chart->across.high - chart->across.low);
  const double up = static_cast<double>(place.height) / (chart->up.high - chart->up.low);
  double x0 = 0.0;
  double y0 = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = static_cast<double>(points[i].step);
    const double y = value(points[i]);
    const bool is_near = std::abs(x - x0) * across < 1.0 && std::abs(y - y0) * up < 1.0;
    if (i > 0 && is_near && i + 1 < points.size()) {
      continue;
    }
    if (i > 0) {
      chart->marks.push_back(ChartLine{
          .x0 = x0, .y0 = y0, .x1 = x, .y1 = y, .ink = {.color = ink}, .thickness = 1.5F});
    }
    x0 = x;
    y0 = y;
  }
}

Chart TrainChart(const AppState& state, double high, std::string name) {
  Chart chart;
  const double last = LastStepOf(state);
  chart.across = {
      .low = 0.0, .high = last, .low_words = "0", .high_words = fmt::format("{:.0f}", last)};
  chart.up = {.low = 0.0, .high = high, .name = std::move(name)};
  chart.is_small = true;
  chart.right = 8.0F;
  return chart;
}

void DrawLossCurve(Ui* ui, const Rect& place, const TrainRunShown& run) {
  double high = 1.0;
  for (const TrainPoint& one : run.sight->losses) {
    high = std::max(high, one.loss);
  }
  Chart chart = TrainChart(ui->state, std::ceil(high), "loss");
  AddCurve(
      run.sight->losses,
      [](const TrainPoint& one) { return one.loss; },
      ui->colors().accent,
      place,
      &chart);
  DrawChart(ui, fmt::format("loss {}", run.id).c_str(), place, chart);
}

void DrawScoreCurves(Ui* ui, const Rect& place, const TrainRunShown& run) {
  Chart chart = TrainChart(ui->state, 1.0, "best head");
  for (const TrainScoreLine& line : kTrainScores) {
    AddCurve(
        run.sight->scored,
        [&](const TrainScored& one) { return BestOf(one.measures.*line.table); },
        line.ink,
        place,
        &chart);
  }
  DrawChart(ui, fmt::format("scores {}", run.id).c_str(), place, chart);
}

std::string DivergenceWords(const TrainMeasures& measures) {
  std::string words = "divergence";
  for (std::size_t layer = 0; layer < measures.divergence.size(); ++layer) {
    const std::optional<double>& one = measures.divergence[layer];
    words += fmt::format(
        "{} L{} {}", layer > 0 ? "," : "", layer, one ? fmt::format("{:.3f}", *one) : "-");
  }
  return words;
}

std::string AccuracyWords(const TrainMeasures& measures) {
  std::string words;
  for (std::size_t kind = 0; kind < kTargetKindNames.size(); ++kind) {
    words += fmt::format("{}{} {:.0f} %",
                         kind > 0 ? ", " : "right: ",
                         kTargetKindNames[kind],
                         100.0 * (*measures.accuracy)[kind]);
  }
  return words;
}

void DrawTrainNumbers(Pen* pen, const TrainMeasures& measures) {
  Ui* ui = pen->ui;
  WrappedLine row(pen, 18.0F);
  for (const TrainScoreLine& line : kTrainScores) {
    const std::string words = fmt::format("{} {:.2f}", line.name, BestOf(measures.*line.table));
    const float square = ui->Px(8.0F);
    const Rect place = row.Next(TextWidth(*ui, words, Type::kSmall) + 2.0F * square + ui->Px(4.0F));
    FillRect(
        *ui, {place.x, place.y + (place.height - square) / 2.0F, square, square}, line.ink, 2.0F);
    DrawTextIn(*ui,
               {place.x + 1.5F * square, place.y, place.width, place.height},
               words,
               Type::kSmall,
               ui->colors().text);
  }
  row.End();
  pen->Small(DivergenceWords(measures), ui->colors().muted);
  if (measures.accuracy) {
    pen->Small(AccuracyWords(measures), ui->colors().muted);
  }
}

// What a head has gone through, below its map.
void DrawHeadNumbers(Ui* ui, const Rect& map, const TrainScored& scored, const HeadIndex& of) {
  const auto layer = static_cast<std::size_t>(of.layer);
  const auto head = static_cast<std::size_t>(of.head);
  std::vector<std::string> lines = {fmt::format("moved {:.2f}", scored.moved[layer][head])};
  if (!scored.gradients.empty()) {
    lines.push_back(fmt::format("gradient {:.2g}", scored.gradients[layer][head]));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    DrawText(*ui,
             map.x,
             map.y + map.height + ui->Px(2.0F + kHeadLine * static_cast<float>(i)),
             lines[i],
             Type::kMonoSmall,
             ui->colors().dim);
  }
}

// All heads: a line for each layer, squares as large as there is room.
void DrawTrainMaps(Pen* pen, const TrainRunShown& run, float room) {
  Ui* ui = pen->ui;
  const auto& layers = run.Layers();
  if (layers.empty()) {
    return;
  }
  const std::int64_t heads = layers.front()->shape().heads;
  const float gap = ui->Px(6.0F);
  const float name = ui->Px(16.0F);
  const TrainScored* scored = run.Scored();
  const bool has_numbers = scored != nullptr && !scored->moved.empty();
  const float widest = TextWidth(*ui, "gradient 0.0001", Type::kMonoSmall);
  const float numbers = has_numbers ? ui->Px(2.0F * kHeadLine + 4.0F) : 0.0F;
  // As many heads in a line as make the squares largest.
  std::int64_t columns = heads;
  float side = 0.0F;
  for (std::int64_t tried = heads; tried > 0; --tried) {
    const auto across = static_cast<float>(tried);
    const auto rows = static_cast<float>((heads + tried - 1) / tried * std::ssize(layers));
    const float fits =
        std::min((pen->width - gap * (across - 1.0F)) / across, room / rows - name - gap - numbers);
    if (fits > side) {
      side = fits;
      columns = tried;
    }
  }
  side = std::floor(std::clamp(side, ui->Px(24.0F), ui->Px(220.0F)));
  columns = std::clamp<std::int64_t>(
      static_cast<std::int64_t>((pen->width + gap) / (side + gap)), 1, columns);
  const std::int64_t lines = (heads + columns - 1) / columns;
  const std::string longest = HeadName({std::ssize(layers) - 1, heads - 1});
  // Narrow squares have no room for the numbers.
  const float below = side + gap >= widest ? numbers : 0.0F;
  for (const std::shared_ptr<const LayerAttention>& layer : layers) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const float x = std::round(pen->x + static_cast<float>(head % columns) * (side + gap));
      const float y =
          std::round(pen->y + static_cast<float>(head / columns) * (side + gap + name + below));
      const std::string whole = HeadName({layer->layer(), head});
      const bool fits = TextWidth(*ui, longest, Type::kMonoSmall) <= side + gap;
      DrawText(
          *ui, x, y, fits ? whole : std::to_string(head), Type::kMonoSmall, ui->colors().muted);
      const Rect place{x, y + name, side, side};
      if (below > 0.0F) {
        DrawHeadNumbers(ui, place, *scored, {layer->layer(), head});
      }
      const MapHandle handle = ui->maps->Thumbnail({layer, head}, ui->state.settings.pooling);
      if (handle != 0) {
        ui->region(Panel::kMiddle)
            .maps.push_back({.map = handle,
                             .target = place,
                             .source = {},
                             .scale = {.curve = ui->state.settings.curve,
                                       .colormap = ui->state.settings.colormap}});
      }
    }
    pen->y += static_cast<float>(lines) * (side + gap + name + below);
  }
}

void DrawTrainButtons(Pen* pen, const TrainRunShown& run) {
  Ui* ui = pen->ui;
  const bool runs = run.sight != nullptr && run.sight->is_running;
  const bool ended = run.sight != nullptr && !run.sight->fault.empty();
  WrappedLine row(pen, 30.0F);
  const auto button = [&](const char* id, const ButtonLook& look) {
    return row.Button(fmt::format("{} {}", id, run.id), look);
  };
  if (runs && button("pause", {.text = "Pause", .tooltip = "Stops after the step under way"})) {
    ui->Do(PauseTraining{run.id});
  }
  if (!runs && button("go on", {.text = "Go on", .enabled = !ended, .primary = true})) {
    ui->Do(GoOnTraining{run.id});
  }
  if (button("step", {.text = "Step", .tooltip = "One step, then it pauses", .enabled = !ended})) {
    ui->Do(StepTraining{run.id});
  }
  if (button("back",
             {.text = "Back",
              .tooltip = "To the kept step that is shown, else to the one before; it pauses"})) {
    ui->Do(RewindTraining{run.id});
  }
  if (button("save",
             {.text = "Save",
              .tooltip = "As a folder with its steps, for Series and for transformers"})) {
    ui->Do(SaveTraining{run.id});
  }
  if (button("end",
             {.text = "Close",
              .tooltip = "The run ends; Kept has it until eight newer ones are there"})) {
    ui->Do(EndTraining{run.id});
  }
  row.End();
}

// The steps that stay: a click shows the heads of one, a button opens its model.
void DrawKeptSteps(Pen* pen, const TrainRunShown& run) {
  if (run.sight->kept.empty()) {
    return;
  }
  Ui* ui = pen->ui;
  pen->Small("Kept steps; a click shows the heads of one:", ui->colors().dim);
  WrappedLine row(pen, 24.0F);
  for (const std::int64_t step : run.sight->kept) {
    const std::string words = std::to_string(step);
    if (row.Button(fmt::format("kept {} {}", run.id, step),
                   {.text = words, .type = Type::kMonoSmall, .active = step == run.looked})) {
      ui->Do(LookAtTrainedStep{run.id, step});
    }
  }
  if (row.Button(
          fmt::format("newest {}", run.id),
          {.text = "newest", .tooltip = "The heads as they are now", .active = !run.looked})) {
    ui->Do(LookAtTrainedStep{run.id, std::nullopt});
  }
  const std::int64_t chosen = run.looked.value_or(run.sight->kept.back());
  const std::string open = fmt::format("Open step {} in Inspect", chosen);
  if (row.Button(fmt::format("open {}", run.id), {.text = open})) {
    ui->Do(OpenTrainedStep{run.id, chosen});
  }
  row.End();
}

std::string StepWords(const TrainSight& sight) {
  std::string words = fmt::format("step {}", sight.step);
  if (!sight.losses.empty()) {
    words += fmt::format(", loss {:.2f}", sight.losses.back().loss);
  }
  if (!sight.is_running && sight.stop_milliseconds) {
    const double took = *sight.stop_milliseconds;
    words += fmt::format(", stopped: {:.{}f} ms", took, took < 10.0 ? 1 : 0);
  } else if (sight.step_milliseconds > 0.0) {
    words += fmt::format(", {:.0f} ms a step", sight.step_milliseconds);
  }
  return words;
}

}  // namespace

void DrawTrainRun(Ui* ui, const Rect& area, const TrainRunShown& run) {
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(14.0F);
  BeginScroll(fmt::format("train run {}", run.id).c_str(), area);
  Pen pen{ui, area.x + pad, area.y + ui->Px(10.0F) - ImGui::GetScrollY(), area.width - 2.0F * pad};
  pen.Paragraph(TrainKnobWords(run.knobs), Type::kBold, colors.text, 2);
  pen.Small(run.sight == nullptr ? "beginning" : StepWords(*run.sight), colors.muted);
  pen.Skip(4.0F);
  DrawTrainButtons(&pen, run);
  if (run.sight != nullptr) {
    if (!run.sight->fault.empty()) {
      pen.Paragraph("It ended: " + run.sight->fault, Type::kSmall, colors.text, 4);
    }
    for (const std::string& words : {run.sight->torn, run.sight->unkept}) {
      if (!words.empty()) {
        pen.Paragraph(words, Type::kSmall, colors.text, 6);
      }
    }
    pen.Skip(6.0F);
    pen.Small("loss in nats, over steps", colors.muted);
    DrawLossCurve(ui, pen.Take(ui->Px(110.0F)), run);
    if (const TrainScored* scored = run.Scored();
        scored != nullptr && !scored->measures.induction.empty()) {
      pen.Small("the best head's scores on repeats, 0 to 1", colors.muted);
      DrawTrainNumbers(&pen, scored->measures);
      DrawScoreCurves(ui, pen.Take(ui->Px(110.0F)), run);
    }
    pen.Skip(6.0F);
    constexpr float kBelowMaps = 90.0F;
    DrawTrainMaps(&pen, run, area.y + area.height - pen.y - ui->Px(kBelowMaps));
    pen.Skip(4.0F);
    DrawKeptSteps(&pen, run);
  }
  ImGui::SetCursorScreenPos({area.x, pen.y + pad});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope
