// One score over models in a row: every dot is a head, a line joins the best head of each model.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/across.h"
#include "app/state/heads/series_words.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"
#include "core/base/sentence.h"
#include "core/figure/chart_grid.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

struct KindChoice {
  SeriesKind kind = SeriesKind::kCheckpoints;
  SegmentChoice words;
};
constexpr std::array<KindChoice, 3> kSeriesKinds = {{
    {SeriesKind::kCheckpoints,
     {"Checkpoints", "When in training heads appear: one model after ever more steps"}},
    {SeriesKind::kHeadCounts,
     {"Head counts", "What the number of heads changes: models trained alike but for it"}},
    {SeriesKind::kFamily,
     {"Family over steps",
      "Both: a line for each number of heads over the steps of training, the mean over its runs "
      "with its error"}},
}};

constexpr float kStepCharts = 150.0F;  // unscaled height, as what must be left for the chart below
constexpr float kLeastUnderStepCharts = 240.0F;

bool IsOpen(const Ui& ui, const SeriesScore& score) {
  return ui.state.model != nullptr && score.model->folder == ui.state.model->folder;
}

// The kinds that there are.
void DrawSeriesChoice(Ui* ui, Flow* flow) {
  const SeriesState& series = ui->state.series;
  std::vector<SegmentChoice> choices;
  std::vector<SeriesKind> kinds;
  int chosen = -1;
  for (const KindChoice& each : kSeriesKinds) {
    if (ModelsOf(series.there, each.kind).empty()) {
      continue;
    }
    chosen = each.kind == SeriesKindInView(ui->state) ? static_cast<int>(kinds.size()) : chosen;
    kinds.push_back(each.kind);
    choices.push_back(each.words);
  }
  const int pressed = flow->Segments("series kind", choices, chosen);
  if (pressed >= 0) {
    ui->Do(ShowSeries{kinds[static_cast<std::size_t>(pressed)]});
  }
}

// What goes on, and what a button changes in it.
void DrawSeriesScan(Ui* ui, Flow* flow, float room, std::span<const SeriesScore> scores) {
  const SeriesState& series = ui->state.series;
  const float height = ui->Px(28.0F);
  const bool has_faults = std::ranges::any_of(scores, [](const SeriesScore& score) {
    return score.scanned != nullptr && score.scanned->report == nullptr;
  });
  ButtonLook look;
  if (series.request != 0) {
    look = {.text = "Stop", .tooltip = "Models that are done stay (Ctrl+.)"};
  } else if (series.is_stopped) {
    look = {.text = "Go on scanning", .tooltip = "The models that are done stay"};
  } else if (has_faults || !series.fault.empty()) {
    look = {.text = "Try again", .tooltip = "Scans the models that have no scan once more"};
  } else {
    return;
  }
  if (flow->Button("scan series", look)) {
    ui->Do(ScanSeries{series.request == 0});
  }
  if (series.request == 0) {
    return;
  }
  DrawProgressBar(
      *ui, flow->Next(ui->Px(90.0F), ui->Px(5.0F)), static_cast<float>(SeriesPartDone(ui->state)));
  const std::string words = SeriesDoneWords(ui->state);
  const float width =
      std::min(TextWidth(*ui, words, Type::kSmall), std::max(1.0F, room - ui->Px(28.0F)));
  DrawTextIn(*ui, flow->Next(width, height), words, Type::kSmall, ui->colors().muted, width);
}

// What the chart says, and what is not in it.
float DrawSeriesWords(Ui* ui,
                      const Rect& area,
                      const ScoredMetric& metric,
                      std::span<const SeriesScore> scores,
                      std::string words) {
  const SeriesState& series = ui->state.series;
  const float pad = ui->Px(14.0F);
  const float width = std::max(ui->Px(60.0F), area.width - 2.0F * pad);
  float y = area.y;
  if (words.empty()) {
    words = series.request != 0 ? "The first model comes in a moment."
            : series.is_stopped ? "The scan was stopped before it had a score."
                                : "No model has this score.";
    if (series.request == 0 && !metric.scores->why_not.empty()) {
      words = fmt::format("No score of {}: {}", metric.name, Ended(metric.scores->why_not));
    }
  }
  y += DrawParagraph(*ui, area.x + pad, y, width, words, Type::kBody, ui->colors().text, 3);
  std::string faults = FaultWords(scores);
  if (!series.fault.empty()) {
    faults = "The scan ended: " + Ended(series.fault);
  }
  if (!faults.empty()) {
    y += DrawParagraph(*ui, area.x + pad, y, width, faults, Type::kSmall, ui->colors().muted, 2);
  }
  return y - area.y;
}

// A knob on a line, one place for each step of the training: the step where it is moved to opens.
float DrawStepSlider(Ui* ui, const Rect& area) {
  const std::vector<SeriesModel>& steps =
      ModelsOf(ui->state.series.there, SeriesKindInView(ui->state));
  if (SeriesKindInView(ui->state) != SeriesKind::kCheckpoints || steps.size() < 2) {
    return 0.0F;
  }
  const float pad = ui->Px(14.0F);
  const Rect place{
      area.x + pad, area.y, std::max(ui->Px(28.0F), area.width - 2.0F * pad), ui->Px(24.0F)};
  const auto open = std::ranges::find_if(steps, [ui](const SeriesModel& step) {
    return ui->state.model != nullptr && step.folder == ui->state.model->folder;
  });
  auto at = static_cast<std::size_t>(open - steps.begin());
  const int moved = StepSlider(ui,
                               "series step",
                               place,
                               "Opens that step of the training: its maps, roles and scores",
                               static_cast<int>(steps.size()),
                               static_cast<int>(at));
  if (moved >= 0) {
    at = static_cast<std::size_t>(moved);
    if (ui->state.opening_folder.empty() &&
        (open == steps.end() || steps[at].folder != open->folder)) {
      ui->Do(OpenFolder{.folder = steps[at].folder});
    }
  }
  std::string words = "Move to a step to open it.";
  if (at < steps.size()) {
    const std::string numbers = StepNumbers(ui->state, steps[at]);
    words =
        fmt::format("Open: {}.{}{} Its heads are at the right, all of their maps in Inspect (1).",
                    PlaceWords(SeriesKind::kCheckpoints, steps[at]),
                    numbers.empty() ? "" : " ",
                    numbers);
  }
  return place.height + DrawParagraph(*ui,
                                      place.x,
                                      place.y + place.height,
                                      place.width,
                                      words,
                                      Type::kSmall,
                                      ui->colors().muted,
                                      2);
}

// Loss and divergence over the steps, small, beside one another; nothing where there is little room.
float DrawStepCharts(Ui* ui, const Rect& area) {
  const bool is_training = SeriesKindInView(ui->state) == SeriesKind::kCheckpoints;
  if (!is_training || area.height < ui->Px(kLeastUnderStepCharts + kStepCharts)) {
    return 0.0F;
  }
  const std::vector<AcrossModel> models = AcrossModelsInView(ui->state);
  const std::vector<AcrossRow> rows = AcrossRows(models);
  std::string open;
  for (const SeriesModel& step : ModelsOf(ui->state.series.there, SeriesKind::kCheckpoints)) {
    if (ui->state.model != nullptr && step.folder == ui->state.model->folder) {
      open = PlaceLabel(SeriesKind::kCheckpoints, step);
    }
  }
  std::vector<Chart> charts;
  for (const AcrossColumn& column : AllAcrossColumns()) {
    if (column.of == AcrossQuantity::kLoss || column.of == AcrossQuantity::kDivergence) {
      auto chart =
          AcrossChart(rows, column, AcrossWords(SeriesKind::kCheckpoints), open, ui->colors());
      if (chart) {
        charts.push_back(std::move(*chart));
      }
    }
  }
  if (charts.empty()) {
    return 0.0F;
  }
  const float pad = ui->Px(14.0F);
  const auto places =
      GridPlaces({area.x + pad, area.y, area.width - 2.0F * pad, ui->Px(kStepCharts)},
                 charts.size(),
                 1.0F,
                 pad);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    DrawChart(ui, fmt::format("step chart {}", i).c_str(), places[i], charts[i]);
  }
  return ui->Px(kStepCharts);
}

void PointAtDot(
    Ui* ui, const HeadsFrame& frame, const SeriesScore& score, const SeriesDot& dot, bool clicked) {
  if (IsOpen(*ui, score) && PlaceOf(frame.heads, dot.head)) {
    PointAtHead(ui, frame, dot.head, clicked);
    return;
  }
  if (clicked) {
    ui->Do(OpenSeriesHead{.folder = score.model->folder, .head = dot.head});
  }
  const std::string words =
      fmt::format("{}, {}: {}\nA click opens this model.",
                  ModelName(score.model->folder),
                  HeadName(dot.head),
                  ScoreWords(*score.metric, score.metric->scores->heads[dot.place]));
  TooltipForItem(
      ui, static_cast<std::uint32_t>(7000000 + dot.model * 65536 + dot.place), true, words);
}

void DrawSeriesChart(Ui* ui,
                     const Rect& area,
                     const HeadsFrame& frame,
                     std::span<const SeriesScore> scores) {
  const SeriesKind kind = SeriesKindInView(ui->state);
  std::vector<SeriesPoint> models;
  for (const SeriesScore& score : scores) {
    models.push_back({PlaceLabel(kind, *score.model), score.metric, IsOpen(*ui, score)});
  }
  const auto series = MakeSeriesChart(models,
                                      AcrossWords(kind),
                                      kind == SeriesKind::kCheckpoints,
                                      ui->state.selection.head,
                                      ui->colors());
  if (!series) {
    return;
  }
  const ChartPointed pointed = DrawChart(ui, "series", area, series->chart);
  if (pointed.key) {
    const SeriesDot& dot = series->dots[*pointed.key];
    PointAtDot(ui, frame, scores[dot.model], dot, pointed.clicked);
    return;
  }
  const auto column = static_cast<std::size_t>(std::max(0.0, pointed.across));
  if (pointed.hovered && column < scores.size() && !scores[column].metric) {
    TooltipForItem(
        ui, static_cast<std::uint32_t>(8000000 + column), true, GapWords(scores[column]));
  }
}

}  // namespace

bool DrawWhyNoSeries(Ui* ui, const Rect& area) {
  if (const std::string why = WhyNoSeries(ui->state); !why.empty()) {
    DrawWordsInstead(ui, area, why);
    return true;
  }
  if (ui->state.series.of == nullptr) {
    DrawWordsInstead(ui, area, "Looking for the models that this one belongs with.");
    return true;
  }
  return false;
}

float DrawSeriesProgress(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  DrawSeriesScan(ui, &flow, area.width, ScoresInSeries(ui->state, "previous_token"));
  return flow.used() > ui->Px(20.0F) ? flow.height() : ui->Px(10.0F);
}

void DrawHeadsSeries(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  if (DrawWhyNoSeries(ui, area)) {
    return;
  }
  const std::vector<SeriesScore> scores = ScoresInSeries(ui->state, frame.metric->id);
  Rect rest = area;
  const auto take = [&rest](float height) {
    rest.y += height;
    rest.height -= height;
  };
  Flow flow(ui, rest);
  DrawSeriesChoice(ui, &flow);
  DrawSeriesScan(ui, &flow, rest.width, scores);
  take(flow.height());
  ui->notices_from = std::max(ui->notices_from, rest.y);
  if (SeriesKindInView(ui->state) == SeriesKind::kFamily) {
    const FamilyCurves curves = FamilyInView(ui->state);
    take(DrawSeriesWords(ui, rest, *frame.metric, scores, FamilyWords(ui->state, curves)));
    DrawHeadsFamily(ui, rest, curves);
    return;
  }
  take(DrawSeriesWords(
      ui, rest, *frame.metric, scores, SeriesWords(SeriesKindInView(ui->state), scores)));
  take(DrawStepSlider(ui, rest));
  take(DrawStepCharts(ui, rest));
  DrawSeriesChart(ui, rest, frame, scores);
}

}  // namespace headscope
