// The right part of Heads: what one head does, over the probes and on the open sentence.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/role_words.h"
#include "app/state/queries.h"
#include "app/views/flags/head_flag.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

constexpr std::size_t kMostScores = 12;
constexpr std::int64_t kFewestRows = 5;
constexpr float kScoreLine = 20.0F;  // unscaled

constexpr int kFewFirst = 8;  // the first places of lists, always shown

// Numbers that decide no role stand apart.
bool IsMeasure(const ScoredMetric& metric) {
  return metric.number->group == NumberGroup::kMeasure;
}

// The ones that are lists' first, the chosen ones, and those that the head does most of.
std::vector<const ScoredMetric*> MetricsFor(const HeadsFrame& frame, std::size_t place) {
  std::vector<const ScoredMetric*> shown;
  std::vector<const ScoredMetric*> others;
  for (const ScoredMetric& metric : frame.metrics) {
    if (IsMeasure(metric)) {
      continue;
    }
    const bool is_always =
        &metric == frame.metric || &metric == frame.second || metric.number->place < kFewFirst;
    (is_always ? shown : others).push_back(&metric);
  }
  const auto lift = [place](const ScoredMetric* metric) {
    const HeadScore& score = metric->scores->heads[place];
    const double beside = std::max(score.chance.value_or(0.0), score.control.value_or(0.0));
    return metric->number->is_of_words && score.score ? *score.score - beside : -1.0;
  };
  std::ranges::stable_sort(
      others, [&](const ScoredMetric* a, const ScoredMetric* b) { return lift(a) > lift(b); });
  for (const ScoredMetric* metric : others) {
    if (shown.size() < kMostScores && (!metric->number->is_of_words || lift(metric) > 0.0)) {
      shown.push_back(metric);
    }
  }
  return shown;
}

// Bar: score; line: chance; tick below: control. Then the number, and the same of the open text.
void DrawScore(Ui* ui,
               const Rect& row,
               const ScoredMetric& metric,
               const HeadScore& score,
               const HeadScore* here) {
  const ThemeColors& colors = ui->colors();
  const float names = std::min(ui->Px(166.0F), row.width * 0.32F);
  const float numbers = ui->Px(136.0F);
  const float text = ui->Px(88.0F);
  const float bars = row.width - names - numbers - text - ui->Px(8.0F);
  ImGui::PushID(metric.id.c_str());
  std::string told = ScoreWords(metric, score);
  if (here != nullptr && here->score) {
    told += fmt::format("\non this text alone: {}, {}",
                        ScoreText(metric, *here->score),
                        Counted(here->rows, "row"));
  }
  Area(ui, "score", row, told);
  ImGui::PopID();
  DrawTextIn(*ui, row, metric.label, Type::kSmall, colors.text, names - ui->Px(8.0F));
  const ScoreRange range = RangeOf(metric);
  const bool is_share = metric.number->is_share();
  const double least = is_share ? 0.0 : range.low;
  const double most = is_share ? 1.0 : range.high;
  const auto at = [&](double value) {
    return most > least ? static_cast<float>(std::clamp((value - least) / (most - least), 0.0, 1.0))
                        : 0.0F;
  };
  if (bars > ui->Px(20.0F)) {
    Meter meter{.color = colors.accent, .track = colors.background};
    meter.from = range.is_signed ? at(0.0) : 0.0F;
    const auto place = [&at](const std::optional<double>& value) {
      return value ? std::optional(at(*value)) : std::nullopt;
    };
    meter.to = place(score.score);
    meter.line = place(score.chance);
    meter.triangle = place(score.control);
    DrawMeter(*ui, {row.x + names, row.y, bars, row.height}, meter);
  }
  const float number_x = row.x + names + std::max(0.0F, bars) + ui->Px(8.0F);
  std::string number = score.score ? ScoreText(metric, *score.score) : "–";
  if (score.error) {
    number += fmt::format(" ±{}", ErrorText(metric, *score.error));
  }
  if (score.rows > 0) {
    number += fmt::format(" n {}", score.rows);
  }
  DrawTextIn(
      *ui, {number_x, row.y, numbers, row.height}, number, Type::kMonoSmall, colors.text, numbers);
  if (IsMeasure(metric)) {
    return;  // the open text has none
  }
  std::string own = "–";
  bool is_few = true;
  if (here != nullptr && here->score && here->rows > 0) {
    own = fmt::format("{} n {}", ScoreText(metric, *here->score), here->rows);
    is_few = here->rows < kFewestRows;
  }
  DrawTextIn(*ui,
             {number_x + numbers, row.y, text, row.height},
             own,
             Type::kMonoSmall,
             is_few ? colors.dim : colors.muted,
             text);
}

float DrawScores(
    Ui* ui, float x, float y, float width, const HeadsFrame& frame, std::size_t place) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kScoreLine);
  const float title = DrawTextIn(*ui,
                                 {x, y, width, line},
                                 "Scores on " + NameOfProbe(frame.report.probe),
                                 Type::kBold,
                                 colors.text,
                                 width * 0.6F);
  DrawTextIn(*ui,
             {x + title + ui->Px(8.0F), y, 0.0F, line},
             "line: chance, triangle: control",
             Type::kSmall,
             colors.dim,
             std::max(ui->Px(20.0F), width - title - ui->Px(108.0F)));
  const float here = ui->Px(88.0F);
  Area(ui,
       "this text",
       {x + width - here, y, here, line},
       "The same on the open text alone, with the number of rows that qualify; grey under five. It "
       "is not part of the score beside it.");
  DrawTextIn(*ui, {x + width - here, y, here, line}, "this text", Type::kSmall, colors.dim, here);
  float top = y + line + ui->Px(2.0F);
  const ScoreReport* const text = TextScoresInView(ui->state);
  for (const ScoredMetric* metric : MetricsFor(frame, place)) {
    const HeadScore& score = metric->scores->heads[place];
    const HeadScore* const own = text != nullptr ? ScoreOnText(*text, metric->id, place) : nullptr;
    if (!score.score && (own == nullptr || !own->score)) {
      continue;
    }
    DrawScore(ui, {x, top, width, line}, *metric, score, own);
    top += line;
  }
  const bool is_asked = frame.report.task && frame.report.task->texts > 0;
  if (is_asked || !frame.report.why_no_task.empty()) {
    top += ui->Px(4.0F);
    std::string words = TaskWords(*frame.report.task, frame.report.why_no_task) + ".";
    words.front() = words.front() == 't' ? 'T' : 'W';  // "the model ...", "whether ..."
    top += DrawParagraph(*ui, x, top, width, words, Type::kSmall, colors.muted);
  }
  return top - y;
}

// What the scan measures besides: by the weights, by what the head adds, by its layer's others.
float DrawMeasures(
    Ui* ui, float x, float y, float width, const HeadsFrame& frame, std::size_t place) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kScoreLine);
  const float title =
      DrawTextIn(*ui, {x, y, width, line}, "Other numbers", Type::kBold, colors.text);
  const bool is_whole = frame.report.is_measured;
  DrawTextIn(*ui,
             {x + title + ui->Px(8.0F), y, 0.0F, line},
             is_whole ? "none of them decides a role" : "more come after the scan",
             Type::kSmall,
             colors.dim,
             std::max(ui->Px(20.0F), width - title - ui->Px(8.0F)));
  float top = y + line + ui->Px(2.0F);
  for (const ScoredMetric& metric : frame.metrics) {
    if (IsMeasure(metric) && metric.scores->heads[place].score) {
      DrawScore(ui, {x, top, width, line}, metric, metric.scores->heads[place], nullptr);
      top += line;
    }
  }
  return top - y;
}

// Of a head of the decoder or of cross-attention.
std::string WhyNotScanned(const HeadScanReport& report) {
  const auto& probe = report.sentences ? report.sentences : report.repeats;
  const std::string why = probe ? probe->report.about.no_targets : "";
  return why.empty() ? "Heads of this part have no scores yet."
                     : "Heads of this part have no scores: " + why + ".";
}

// Accept or reject; what was answered already.
void DrawAnswers(Ui* ui, const Rect& row, const Suggestion& one) {
  const HeadFlag* const flag = FindFlag(FlagsInView(ui->state), one.head);
  if (flag != nullptr && flag->role == one.role) {
    DrawTextIn(*ui,
               {row.x + ui->Px(8.0F), row.y, row.width, row.height},
               "flagged",
               Type::kSmall,
               ui->colors().dim);
    return;
  }
  ImGui::PushID(one.metric.c_str());
  ImGui::PushID(one.from.c_str());
  ImGui::PushID(one.relation.c_str());
  ImGui::PushID(one.direction.c_str());
  const ButtonLook accept{
      .text = "Accept",
      .tooltip = flag != nullptr ? "The flag becomes this role; the numbers are kept with it"
                                 : "Flag the head so; the numbers are kept with it",
      .type = Type::kSmall};
  const ButtonLook reject{.text = "Reject",
                          .tooltip = "Say why it is not so; the suggestion does not come back",
                          .type = Type::kSmall,
                          .bare = true};
  float x = row.x + ui->Px(8.0F);
  const float accept_width = ButtonWidth(*ui, accept);
  if (Button(ui, "accept", {x, row.y, accept_width, row.height}, accept)) {
    ui->Do(AcceptSuggestion{one.head, one.role});
  }
  x += accept_width + ui->Px(4.0F);
  const Rect place{x, row.y, ButtonWidth(*ui, reject), row.height};
  if (Button(ui, "reject", place, reject)) {
    ui->memory->popup_anchor = place;
    ui->Do(AskReject{one.head, one.role});
  }
  ImGui::PopID();
  ImGui::PopID();
  ImGui::PopID();
  ImGui::PopID();
}

// Rejected roles, with their reason and a way back.
float DrawRejected(Ui* ui, float x, float y, float width, HeadIndex head) {
  const HeadFlag* const entry = FindEntry(FlagsInView(ui->state), head);
  float top = y;
  for (std::size_t i = 0; entry != nullptr && i < entry->rejected.size(); ++i) {
    const RejectedRole& rejected = entry->rejected[i];
    const ButtonLook back{.text = "Take back",
                          .tooltip = "The suggestion may come back",
                          .type = Type::kSmall,
                          .bare = true};
    const float back_width = ButtonWidth(*ui, back);
    const float line = ui->Px(kScoreLine);
    ImGui::PushID(static_cast<int>(i));
    if (Button(ui, "take back", {x + width - back_width, top, back_width, line}, back)) {
      ui->Do(TakeBackReject{head, rejected.role});
    }
    ImGui::PopID();
    const std::string words = fmt::format("rejected: {}{}",
                                          RoleLabel(rejected.role),
                                          rejected.reason.empty() ? "" : ", " + rejected.reason);
    DrawTextIn(*ui,
               {x, top, width, line},
               words,
               Type::kSmall,
               ui->colors().dim,
               width - back_width - ui->Px(8.0F));
    top += line;
  }
  return top - y;
}

float DrawSuggestions(
    Ui* ui, float x, float y, float width, const HeadsFrame& frame, HeadIndex head) {
  const ThemeColors& colors = ui->colors();
  const auto& found = frame.suggestions.Of(head);
  const float line = ui->Px(kScoreLine);
  const float title =
      DrawTextIn(*ui, {x, y, width, line}, "What the scores say", Type::kBold, colors.text);
  const HeadScanReport* const roles = RolesInView(ui->state);
  if (frame.report.probe.kind != ProbeKind::kBundled && roles != nullptr) {
    const float left = x + title + ui->Px(8.0F);
    DrawTextIn(*ui,
               {left, y, 0.0F, line},
               "on " + NameOfProbe(roles->probe),
               Type::kSmall,
               colors.dim,
               std::max(ui->Px(20.0F), x + width - left));
  }
  const bool is_whole = roles != nullptr && roles->is_whole();
  float top = y + line + ui->Px(4.0F);
  if (found.empty()) {
    const std::string words = is_whole ? NoRoleWords(*roles, FlagsInView(ui->state), head)
                                       : "No role so far; the scan goes on.";
    top += DrawParagraph(*ui, x, top, width, words, Type::kSmall, colors.muted);
    return top - y;
  }
  const ScoreReport* const text = TextScoresInView(ui->state);
  const auto place = PlaceOf(frame.heads, head);
  for (const Suggestion* one : found) {
    const std::string label =
        fmt::format("{}{}{}",
                    RoleLabel(one->role),
                    one->verdict == Verdict::kBorderline ? ", borderline" : "",
                    one->from.empty() ? "" : ", from " + one->from);
    const float pill = Pill(*ui, x, top, ColorOfRole(one->role), label);
    if (is_whole || !one->from.empty()) {
      DrawAnswers(ui, {x + pill, top, width - pill, PillHeight(*ui)}, *one);
    } else {
      DrawTextIn(*ui,
                 {x + pill + ui->Px(8.0F), top, 0.0F, PillHeight(*ui)},
                 "provisional",
                 Type::kSmall,
                 colors.dim);
    }
    top += PillHeight(*ui) + ui->Px(4.0F);
    top += DrawParagraph(*ui, x, top, width, one->why + ".", Type::kSmall, colors.muted);
    const std::string here =
        place && text != nullptr && one->from.empty() ? RoleOnTextWords(*one, *text, *place) : "";
    if (!here.empty()) {
      top += DrawParagraph(*ui, x, top, width, here, Type::kSmall, colors.dim);
    }
    top += ui->Px(8.0F);
  }
  const std::string undecided = is_whole ? UndecidedWords(*roles, head) : "";
  if (!undecided.empty()) {
    top += DrawParagraph(*ui, x, top, width, undecided, Type::kSmall, colors.muted);
  }
  return top - y;
}

}  // namespace

void DrawHeadsDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  if (panel.width <= 0.0F ||
      (SelectedLayer(ui->state).layer == nullptr && !ShowsScoresAlone(ui->state))) {
    return;
  }
  const HeadIndex head = ui->state.selection.head;
  const std::shared_ptr<const HeadScanReport> whole = ShownScan(ui->state);
  const HeadScanReport* const report =
      whole != nullptr ? &whole->Of(PartInView(ui->state)) : nullptr;
  const auto heads = report != nullptr ? ScannedHeads(*report) : std::nullopt;
  const float pad = ui->Px(18.0F);
  const float x = panel.x + pad;
  const float width = panel.width - 2.0F * pad;
  ui->memory->pointing = false;
  float y = BeginDetail(ui, panel, HeadName(head)) + ui->Px(14.0F);
  y += DrawDetailHeader(ui, x, y, width, HeadName(head)) + ui->Px(8.0F);
  const ButtonLook open{.text = "Open in Inspect", .tooltip = "This head's map in full"};
  const float open_width = ButtonWidth(*ui, open);
  if (Button(ui,
             "inspect",
             {x + width - open_width, y, open_width, PillHeight(*ui) + ui->Px(4.0F)},
             open)) {
    ui->Do(SetScreen{&ScreenNamed("inspect").kind});
  }
  y += DrawFlagLine(ui, x, y, width - open_width - ui->Px(10.0F)) + ui->Px(14.0F);
  const auto place = heads ? PlaceOf(*heads, head) : std::nullopt;
  if (place) {
    HeadsFrame frame{.report = *report,
                     .heads = *heads,
                     .metrics = ScoredMetrics(*report),
                     .suggestions = SuggestionsInView(ui->state)};
    frame.metric = FindScored(frame.metrics, MetricInView(ui->state));
    frame.second = FindScored(frame.metrics, SecondMetricInView(ui->state));
    y += DrawSuggestions(ui, x, y, width, frame, head);
    y += DrawRejected(ui, x, y, width, head) + ui->Px(8.0F);
    y += DrawScores(ui, x, y, width, frame, *place) + ui->Px(14.0F);
    y += DrawAblation(ui, x, y, width) + ui->Px(14.0F);
    if (!HasTargetQueries(head.part)) {  // composition is of one stack
      y += DrawPartners(ui, x, y, width, frame);
    }
    y += DrawRelative(ui, x, y, width, head) + ui->Px(10.0F);
    if (frame.metric != nullptr && ExampleMeasure::Has(frame.metric->id)) {
      y += DrawExamples(ui, x, y, width, *frame.metric) + ui->Px(10.0F);
    }
    y += DrawMeasures(ui, x, y, width, frame, *place) + ui->Px(14.0F);
  } else if (heads) {
    y += DrawParagraph(*ui, x, y, width, WhyNotScanned(*report), Type::kSmall, ui->colors().muted) +
         ui->Px(14.0F);
  }
  if (!place) {
    y += DrawRelative(ui, x, y, width, head) + ui->Px(10.0F);
  }
  y += DrawAlike(ui, x, y, width);
  EndDetail(ui, y);
}

}  // namespace headscope
