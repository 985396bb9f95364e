// One score over models in a row: every dot is a head, a line joins the best head of each model.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/series_words.h"
#include "app/views/heads/axis.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

struct KindChoice {
  SeriesKind kind;
  SegmentChoice words;
};
constexpr std::array<KindChoice, 2> kSeriesKinds = {{
    {SeriesKind::kCheckpoints,
     {"Checkpoints", "When in training heads appear: one model after ever more steps"}},
    {SeriesKind::kHeadCounts,
     {"Head counts", "What the number of heads changes: models trained alike but for it"}},
}};

// Where the models and their scores stand.
struct SeriesPlot {
  Rect field;
  ScoreAxis up;
  std::span<const SeriesScore> scores;

  [[nodiscard]] float Width() const { return field.width / static_cast<float>(scores.size()); }
  [[nodiscard]] float Across(std::size_t model) const {
    return field.x + Width() * (static_cast<float>(model) + 0.5F);
  }
  [[nodiscard]] float Up(double score) const {
    return field.y + field.height * (1.0F - up.At(score));
  }
  [[nodiscard]] ImVec2 At(std::size_t model, double score) const {
    return {Across(model), Up(score)};
  }
};

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
  Flow flow(*ui, area);
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
  const int pressed =
      Segments(ui, "series kind", flow.Next(SegmentsWidth(*ui, choices), height), choices, chosen);
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
  if (Button(ui, "scan series", flow.Next(ButtonWidth(*ui, look), height), look)) {
    ui->Do(ScanSeries{series.request == 0});
  }
  if (series.request == 0) {
    return flow.height();
  }
  const Rect track = flow.Next(ui->Px(90.0F), ui->Px(5.0F));
  const auto part = static_cast<float>(SeriesPartDone(ui->state));
  FillRect(*ui, track, ui->colors().raised, 3.0F);
  FillRect(*ui, {track.x, track.y, track.width * part, track.height}, ui->colors().accent, 3.0F);
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

// The name of each model that finds room, the open one's first of all.
void DrawPlaces(const Ui& ui, const SeriesPlot& plot, SeriesKind kind) {
  const ThemeColors& colors = ui.colors();
  const float y = plot.field.y + plot.field.height + ui.Px(4.0F);
  const auto span_of = [&](std::size_t model) {
    const std::string label = PlaceLabel(kind, *plot.scores[model].model);
    const float width = TextWidth(ui, label, Type::kMonoSmall);
    return std::pair(plot.Across(model) - width / 2.0F, plot.Across(model) + width / 2.0F);
  };
  const float gap = ui.Px(8.0F);
  std::optional<std::pair<float, float>> open;
  for (std::size_t i = 0; i < plot.scores.size(); ++i) {
    if (IsOpen(ui, plot.scores[i])) {
      open = span_of(i);
    }
  }
  float taken = plot.field.x - plot.field.width;
  for (std::size_t i = 0; i < plot.scores.size(); ++i) {
    const bool is_open = IsOpen(ui, plot.scores[i]);
    const auto [left, right] = span_of(i);
    const bool hits_open =
        !is_open && open && left < open->second + gap && right > open->first - gap;
    if (!is_open && (left < taken + gap || hits_open)) {
      continue;
    }
    taken = right;
    DrawText(ui,
             left,
             y,
             PlaceLabel(kind, *plot.scores[i].model),
             Type::kMonoSmall,
             is_open ? colors.accent : colors.muted);
  }
  DrawText(ui,
           plot.field.x,
           y + LineHeight(ui, Type::kMonoSmall) + ui.Px(2.0F),
           kind == SeriesKind::kCheckpoints ? "steps of training →" : "heads in a layer →",
           Type::kSmall,
           colors.muted,
           plot.field.width);
}

// Of each model: even attention's score, where it has one.
void DrawChance(const Ui& ui, const SeriesPlot& plot) {
  const std::uint32_t faint = ToImGui(ui.colors().muted, 0.35F);
  for (std::size_t i = 0; i < plot.scores.size(); ++i) {
    const auto& metric = plot.scores[i].metric;
    const auto chance = metric ? AxisOf(*metric).chance : std::nullopt;
    if (chance) {
      const ImVec2 at = plot.At(i, *chance);
      const float half = plot.Width() / 2.0F;
      ImGui::GetWindowDrawList()->AddLine({at.x - half, at.y}, {at.x + half, at.y}, faint, 1.0F);
    }
  }
}

// From model to model that has a score; `score`: none where there is none.
template <typename ScoreOf>
void JoinModels(const SeriesPlot& plot, std::uint32_t color, float thickness, ScoreOf score) {
  std::optional<ImVec2> before;
  for (std::size_t i = 0; i < plot.scores.size(); ++i) {
    const std::optional<double> value = score(plot.scores[i]);
    if (!value) {
      before.reset();  // a gap
      continue;
    }
    const ImVec2 at = plot.At(i, *value);
    if (before) {
      ImGui::GetWindowDrawList()->AddLine(*before, at, color, thickness);
    }
    before = at;
  }
}

// In a training a head stays the same head; the models of a family have none in common.
void DrawSelectedHead(const Ui& ui, const SeriesPlot& plot, SeriesKind kind) {
  const HeadIndex head = ui.state.selection.head;
  if (kind != SeriesKind::kCheckpoints) {
    return;
  }
  JoinModels(plot,
             ToImGui(ui.colors().accent, 0.7F),
             ui.Px(1.5F),
             [head](const SeriesScore& score) -> std::optional<double> {
               const auto place = score.metric
                                      ? PlaceOf(score.metric->probe->report.about.heads, head)
                                      : std::nullopt;
               return place ? score.metric->scores->heads[*place].score : std::nullopt;
             });
}

void DrawBest(const Ui& ui, const SeriesPlot& plot) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const std::uint32_t color = ToImGui(ui.colors().text);
  JoinModels(plot, ToImGui(ui.colors().text, 0.8F), ui.Px(1.5F), [](const SeriesScore& score) {
    return score.best() != nullptr ? score.best()->score : std::nullopt;
  });
  for (std::size_t i = 0; i < plot.scores.size(); ++i) {
    const HeadScore* const best = plot.scores[i].best();
    if (best == nullptr) {
      continue;
    }
    const ImVec2 at = plot.At(i, *best->score);
    list->AddCircleFilled(at, ui.Px(4.0F), color);
    if (best->error) {
      const float above = std::max(plot.field.y, plot.Up(*best->score + *best->error));
      const float below =
          std::min(plot.field.y + plot.field.height, plot.Up(*best->score - *best->error));
      const float cap = ui.Px(5.0F);
      list->AddLine({at.x, above}, {at.x, below}, color, ui.Px(1.0F));
      list->AddLine({at.x - cap, above}, {at.x + cap, above}, color, ui.Px(1.0F));
      list->AddLine({at.x - cap, below}, {at.x + cap, below}, color, ui.Px(1.0F));
    }
  }
}

// All heads; the one that is nearest to the pointer.
std::optional<SeriesDot> DrawHeadDots(const Ui& ui, const SeriesPlot& plot, SeriesKind kind) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const std::uint32_t color = ToImGui(ui.colors().muted, 0.5F);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<SeriesDot> nearest;
  float least = ui.Px(10.0F) * ui.Px(10.0F);
  for (std::size_t i = 0; i < plot.scores.size(); ++i) {
    const auto& metric = plot.scores[i].metric;
    for (std::size_t place = 0; metric && place < metric->scores->heads.size(); ++place) {
      const auto& score = metric->scores->heads[place].score;
      if (!score) {
        continue;
      }
      const HeadIndex head = metric->probe->report.about.heads.At(place);
      const ImVec2 at = plot.At(i, *score);
      list->AddCircleFilled(at, ui.Px(3.5F), color);
      const bool is_followed = kind == SeriesKind::kCheckpoints || IsOpen(ui, plot.scores[i]);
      if (is_followed && head == ui.state.selection.head) {
        list->AddCircle(at, ui.Px(7.0F), ToImGui(ui.colors().accent), 0, ui.Px(2.0F));
      }
      const float far = (mouse.x - at.x) * (mouse.x - at.x) + (mouse.y - at.y) * (mouse.y - at.y);
      if (far < least) {
        least = far;
        nearest = SeriesDot{.model = i, .head = head, .place = place};
      }
    }
  }
  return nearest;
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
  const ThemeColors& colors = ui->colors();
  const SeriesKind kind = SeriesKindInView(ui->state.series);
  const float width = area.width - ui->Px(82.0F);
  const ChartHeading heading(
      *ui,
      fmt::format("↑ {}", frame.metric->name),
      fmt::format("dot: a head · line: the highest, ± its error · faint: chance{}",
                  kind == SeriesKind::kCheckpoints ? " · ring: selected" : ""),
      width);
  const SeriesPlot plot{.field = {area.x + ui->Px(58.0F),
                                  area.y + heading.height() + ui->Px(16.0F),
                                  width,
                                  area.height - heading.height() - ui->Px(66.0F)},
                        .up = axis,
                        .scores = scores};
  if (plot.field.width < ui->Px(40.0F) || plot.field.height < ui->Px(30.0F)) {
    return;
  }
  const Rect& field = plot.field;
  const Rect reach{field.x,
                   field.y - ui->Px(8.0F),
                   field.width,
                   field.height + ui->Px(8.0F) + LineHeight(*ui, Type::kMonoSmall)};
  const Pressed pressed = Area(ui, "series", reach, "");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (IsOpen(*ui, scores[i])) {
      const float band = std::min(plot.Width(), ui->Px(48.0F));
      FillRect(
          *ui, {plot.Across(i) - band / 2.0F, field.y, band, field.height}, colors.panel, 0.0F);
    }
  }
  DrawUprightAxis(*ui, field, *frame.metric, axis);
  const float bottom = field.y + field.height;
  ImGui::GetWindowDrawList()->AddLine(
      {field.x, bottom}, {field.x + field.width, bottom}, ToImGui(colors.line), 1.0F);
  DrawPlaces(*ui, plot, kind);
  DrawChance(*ui, plot);
  DrawSelectedHead(*ui, plot, kind);
  const auto nearest = DrawHeadDots(*ui, plot, kind);
  DrawBest(*ui, plot);
  heading.Draw(*ui, field.x, area.y + ui->Px(6.0F));
  if (!pressed.hovered) {
    return;
  }
  if (nearest) {
    PointAtDot(ui, frame, scores[nearest->model], *nearest, pressed.clicked);
    return;
  }
  const auto column = static_cast<std::size_t>(
      std::max(0.0F, (ImGui::GetIO().MousePos.x - field.x) / plot.Width()));
  if (column < scores.size() && !scores[column].metric) {
    TooltipForItem(
        ui, static_cast<std::uint32_t>(8000000 + column), true, GapWords(scores[column]));
  }
}

}  // namespace

void DrawHeadsSeries(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const SeriesState& series = ui->state.series;
  if (const std::string why = WhyNoSeries(ui->state); !why.empty()) {
    DrawWordsInstead(*ui, area, why);
    return;
  }
  if (series.of == nullptr) {
    DrawWordsInstead(*ui, area, "Looking for the models that this one belongs with.");
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
