// One score over models in a row: every dot is a head, a line joins the best head of each model.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/series_words.h"
#include "app/views/heads/axis.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

struct KindChoice {
  SeriesKind kind = SeriesKind::kCheckpoints;
  SegmentChoice words;
};
constexpr std::array<KindChoice, 2> kSeriesKinds = {{
    {SeriesKind::kCheckpoints,
     {"Checkpoints", "When in training heads appear: one model after ever more steps"}},
    {SeriesKind::kHeadCounts,
     {"Head counts", "What the number of heads changes: models trained alike but for it"}},
}};

// A head of one of the models.
struct SeriesDot {
  std::size_t model = 0;
  HeadIndex head;
  std::size_t place = 0;
};

bool IsOpen(const Ui& ui, const SeriesScore& score) {
  return ui.state.model != nullptr && score.model->folder == ui.state.model->folder;
}

// The kinds that there are, and what goes on.
float DrawSeriesBar(Ui* ui, const Rect& area, std::span<const SeriesScore> scores) {
  const SeriesState& series = ui->state.series;
  const float height = ui->Px(28.0F);
  Flow flow(ui, area);
  std::vector<SegmentChoice> choices;
  std::vector<SeriesKind> kinds;
  int chosen = -1;
  for (const KindChoice& each : kSeriesKinds) {
    if (ModelsOf(series.there, each.kind).empty()) {
      continue;
    }
    chosen = each.kind == SeriesKindInView(series) ? static_cast<int>(kinds.size()) : chosen;
    kinds.push_back(each.kind);
    choices.push_back(each.words);
  }
  const int pressed = flow.Segments("series kind", choices, chosen);
  if (pressed >= 0) {
    ui->Do(ShowSeries{kinds[static_cast<std::size_t>(pressed)]});
  }
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
    return flow.height();
  }
  if (flow.Button("scan series", look)) {
    ui->Do(ScanSeries{series.request == 0});
  }
  if (series.request == 0) {
    return flow.height();
  }
  DrawProgressBar(
      *ui, flow.Next(ui->Px(90.0F), ui->Px(5.0F)), static_cast<float>(SeriesPartDone(ui->state)));
  const std::string words = SeriesDoneWords(ui->state);
  const float width =
      std::min(TextWidth(*ui, words, Type::kSmall), std::max(1.0F, area.width - ui->Px(28.0F)));
  DrawTextIn(*ui, flow.Next(width, height), words, Type::kSmall, ui->colors().muted, width);
  return flow.height();
}

// What the chart says, and what is not in it.
float DrawSeriesWords(Ui* ui,
                      const Rect& area,
                      const ScoredMetric& metric,
                      std::span<const SeriesScore> scores) {
  const SeriesState& series = ui->state.series;
  const float pad = ui->Px(14.0F);
  const float width = std::max(ui->Px(60.0F), area.width - 2.0F * pad);
  float y = area.y;
  std::string words = SeriesWords(SeriesKindInView(series), scores);
  if (words.empty()) {
    words = series.request != 0 ? "The first model comes in a moment."
            : series.is_stopped ? "The scan was stopped before it had a score."
                                : "No model has this score.";
    if (series.request == 0 && !metric.scores->why_not.empty()) {
      words = fmt::format("No score of {}: {}.", metric.name, metric.scores->why_not);
    }
  }
  y += DrawParagraph(*ui, area.x + pad, y, width, words, Type::kBody, ui->colors().text, 3);
  std::string faults = FaultWords(scores);
  if (!series.fault.empty()) {
    faults = "The scan ended: " + series.fault + ".";
  }
  if (!faults.empty()) {
    y += DrawParagraph(*ui, area.x + pad, y, width, faults, Type::kSmall, ui->colors().muted, 2);
  }
  return y - area.y;
}

std::optional<ScoreAxis> AxisOfSeries(std::span<const SeriesScore> scores) {
  std::optional<ScoreAxis> axis;
  for (const SeriesScore& score : scores) {
    if (score.metric) {
      const ScoreAxis own = AxisOf(*score.metric);
      axis = axis.value_or(own);
      axis->Include(own);
      axis->high = std::max(axis->high, *score.best()->score + score.best()->error.value_or(0.0));
    }
  }
  return axis;
}

// Where a model stands, in the middle of its part.
double Across(std::size_t model) {
  return static_cast<double>(model) + 0.5;
}

// From model to model that has a score; `score`: none where there is none.
template <typename ScoreOf>
void JoinModels(std::span<const SeriesScore> scores, ChartInk ink, Chart* chart, ScoreOf score) {
  for (std::size_t i = 1; i < scores.size(); ++i) {
    const std::optional<double> before = score(scores[i - 1]);
    const std::optional<double> value = score(scores[i]);
    if (before && value) {
      chart->marks.emplace_back(ChartLine{.x0 = Across(i - 1),
                                          .y0 = *before,
                                          .x1 = Across(i),
                                          .y1 = *value,
                                          .ink = ink,
                                          .thickness = 1.5F});
    }
  }
}

// The open model's ground, and of each model even attention's score.
void AddPlaces(const Ui& ui, std::span<const SeriesScore> scores, SeriesKind kind, Chart* chart) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto left = static_cast<double>(i);
    const bool is_open = IsOpen(ui, scores[i]);
    chart->ticks.push_back({Across(i), PlaceLabel(kind, *scores[i].model), is_open});
    if (is_open) {
      chart->marks.emplace_back(ChartBand{left, left + 1.0, 48.0F, {ui.colors().panel}});
    }
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i].metric) {
      const auto left = static_cast<double>(i);
      const double chance = AxisOf(*scores[i].metric).chance;
      chart->marks.emplace_back(ChartLine{.x0 = left,
                                          .y0 = chance,
                                          .x1 = left + 1.0,
                                          .y1 = chance,
                                          .ink = {ui.colors().muted, 0.35F}});
    }
  }
}

// In a training a head stays the same head; the models of a family have none in common.
void AddSelectedHead(const Ui& ui,
                     std::span<const SeriesScore> scores,
                     SeriesKind kind,
                     Chart* chart) {
  const HeadIndex head = ui.state.selection.head;
  if (kind != SeriesKind::kCheckpoints) {
    return;
  }
  JoinModels(scores,
             {ui.colors().accent, 0.7F},
             chart,
             [head](const SeriesScore& score) -> std::optional<double> {
               const auto place = score.metric
                                      ? PlaceOf(score.metric->probe->report.about.heads, head)
                                      : std::nullopt;
               return place ? score.metric->scores->heads[*place].score : std::nullopt;
             });
}

void AddBest(const Ui& ui, std::span<const SeriesScore> scores, Chart* chart) {
  const Rgb color = ui.colors().text;
  JoinModels(scores, {color, 0.8F}, chart, [](const SeriesScore& score) {
    return score.best() != nullptr ? score.best()->score : std::nullopt;
  });
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const HeadScore* const best = scores[i].best();
    if (best == nullptr) {
      continue;
    }
    chart->marks.emplace_back(ChartDot{.x = Across(i), .y = *best->score, .ink = {color}});
    if (best->error) {
      chart->marks.emplace_back(
          ChartError{Across(i), *best->score - *best->error, *best->score + *best->error, {color}});
    }
  }
}

// All heads; `dots`: what their keys stand for.
void AddHeads(const Ui& ui,
              std::span<const SeriesScore> scores,
              SeriesKind kind,
              Chart* chart,
              std::vector<SeriesDot>* dots) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto& metric = scores[i].metric;
    for (std::size_t place = 0; metric && place < metric->scores->heads.size(); ++place) {
      const auto& score = metric->scores->heads[place].score;
      if (!score) {
        continue;
      }
      const HeadIndex head = metric->probe->report.about.heads.At(place);
      chart->marks.emplace_back(ChartDot{.x = Across(i),
                                         .y = *score,
                                         .ink = {ui.colors().muted, 0.5F},
                                         .radius = 3.5F,
                                         .key = dots->size()});
      dots->push_back({.model = i, .head = head, .place = place});
      const bool is_followed = kind == SeriesKind::kCheckpoints || IsOpen(ui, scores[i]);
      if (is_followed && head == ui.state.selection.head) {
        chart->marks.emplace_back(ChartDot{.x = Across(i),
                                           .y = *score,
                                           .ink = {ui.colors().accent},
                                           .radius = 7.0F,
                                           .ring = 2.0F});
      }
    }
  }
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
                     std::span<const SeriesScore> scores,
                     const ScoreAxis& axis) {
  const SeriesKind kind = SeriesKindInView(ui->state.series);
  const bool is_training = kind == SeriesKind::kCheckpoints;
  Chart chart{.across = {.high = static_cast<double>(scores.size()),
                         .name = is_training ? "steps of training" : "heads in a layer"},
              .up = axis.Named(*frame.metric, frame.metric->name),
              .signs = fmt::format("dot: a head · line: the highest, ± its error · faint: chance{}",
                                   is_training ? " · ring: selected" : ""),
              .right = 24.0F};
  std::vector<SeriesDot> dots;
  AddPlaces(*ui, scores, kind, &chart);
  AddSelectedHead(*ui, scores, kind, &chart);
  AddHeads(*ui, scores, kind, &chart, &dots);
  AddBest(*ui, scores, &chart);
  const ChartPointed pointed = DrawChart(ui, "series", area, chart);
  if (pointed.key) {
    const SeriesDot& dot = dots[*pointed.key];
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

void DrawHeadsSeries(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const SeriesState& series = ui->state.series;
  if (const std::string why = WhyNoSeries(ui->state); !why.empty()) {
    DrawWordsInstead(ui, area, why);
    return;
  }
  if (series.of == nullptr) {
    DrawWordsInstead(ui, area, "Looking for the models that this one belongs with.");
    return;
  }
  const std::vector<SeriesScore> scores = ScoresInSeries(ui->state, frame.metric->id);
  Rect rest = area;
  const auto take = [&rest](float height) {
    rest.y += height;
    rest.height -= height;
  };
  take(DrawSeriesBar(ui, rest, scores));
  ui->notices_from = std::max(ui->notices_from, rest.y);
  take(DrawSeriesWords(ui, rest, *frame.metric, scores));
  if (const auto axis = AxisOfSeries(scores)) {
    DrawSeriesChart(ui, rest, frame, scores, *axis);
  }
}

}  // namespace headscope
