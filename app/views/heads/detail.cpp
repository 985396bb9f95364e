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
#include "app/views/cause_links.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "core/base/sentence.h"

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
void DrawScore(
    Ui* ui, Row row, const ScoredMetric& metric, const HeadScore& score, const HeadScore* here) {
  const ThemeColors& colors = ui->colors();
  const float names = std::min(ui->Px(166.0F), row.whole().width * 0.32F);
  const float numbers = ui->Px(136.0F);
  const float text = ui->Px(88.0F);
  ImGui::PushID(metric.id.c_str());
  std::string told = ScoreWords(metric, score);
  if (here != nullptr && here->score) {
    told += fmt::format("\non this text alone: {}, {}",
                        ScoreText(metric, *here->score),
                        CountedCases(metric, here->rows));
  }
  Area(ui, "score", row.whole(), told);
  ImGui::PopID();
  row.Cell(names, metric.label, Type::kSmall, colors.text, 8.0F);
  const float wide = row.rest().width - numbers - text - ui->Px(8.0F);
  const Rect bars = row.Left(std::max(0.0F, wide));
  const ScoreRange range = RangeOf(metric);
  const bool is_share = metric.number->is_share();
  const double least = is_share ? 0.0 : range.low;
  const double most = is_share ? 1.0 : range.high;
  const auto at = [&](double value) {
    return most > least ? static_cast<float>(std::clamp((value - least) / (most - least), 0.0, 1.0))
                        : 0.0F;
  };
  if (bars.width > ui->Px(20.0F)) {
    Meter meter{.color = colors.accent, .track = colors.background};
    meter.from = range.is_signed ? at(0.0) : 0.0F;
    const auto place = [&at](const std::optional<double>& value) {
      return value ? std::optional(at(*value)) : std::nullopt;
    };
    meter.to = place(score.score);
    meter.line = place(score.chance);
    meter.triangle = place(score.control);
    DrawMeter(*ui, bars, meter);
  }
  row.Skip(8.0F);
  std::string number = score.score ? ScoreText(metric, *score.score) : "–";
  if (score.error) {
    number += fmt::format(" ±{}", ErrorText(metric, *score.error));
  }
  if (score.rows > 0) {
    number += fmt::format(" n {}", score.rows);
  }
  row.Cell(numbers, number, Type::kMonoSmall, colors.text);
  if (IsMeasure(metric)) {
    return;  // the open text has none
  }
  std::string own = "–";
  bool is_few = true;
  if (here != nullptr && here->score && here->rows > 0) {
    own = fmt::format("{} n {}", ScoreText(metric, *here->score), here->rows);
    is_few = here->rows < kFewestRows;
  }
  row.Cell(text, own, Type::kMonoSmall, is_few ? colors.dim : colors.muted);
}

void DrawScores(Pen* pen, const HeadsFrame& frame, std::size_t place) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Row title = pen->Line(kScoreLine);
  const Rect here = title.Right(ui->Px(88.0F));
  const std::string name = "Scores on " + NameOfProbe(frame.report.probe);
  const float most = title.whole().width * 0.6F;
  title.Left(DrawTextIn(*ui, title.rest(), name, Type::kBold, colors.text, most));
  title.Skip(8.0F);
  title.SkipRight(12.0F);
  title.Text("line: chance, triangle: control", Type::kSmall, colors.dim);
  Area(ui,
       "this text",
       here,
       "The same on the open text alone, with the number of rows that qualify; grey under five. It "
       "is not part of the score beside it.");
  DrawTextIn(*ui, here, "this text", Type::kSmall, colors.dim, here.width);
  pen->Skip(2.0F);
  const ScoreReport* const text = TextScoresInView(ui->state);
  for (const ScoredMetric* metric : MetricsFor(frame, place)) {
    const HeadScore& score = metric->scores->heads[place];
    const HeadScore* const own = text != nullptr ? ScoreOnText(*text, metric->id, place) : nullptr;
    if (score.score || (own != nullptr && own->score)) {
      DrawScore(ui, pen->Line(kScoreLine), *metric, score, own);
    }
  }
  const bool is_asked = frame.report.task && frame.report.task->texts > 0;
  if (is_asked || !frame.report.why_no_task.empty()) {
    pen->Skip(4.0F);
    std::string words = Ended(TaskWords(*frame.report.task, frame.report.why_no_task));
    words.front() = words.front() == 't' ? 'T' : 'W';  // "the model ...", "whether ..."
    pen->Small(words, colors.muted);
  }
}

// What the scan measures besides: by the weights, by what the head adds, by its layer's others.
void DrawMeasures(Pen* pen, const HeadsFrame& frame, std::size_t place) {
  const ThemeColors& colors = pen->ui->colors();
  Row title = pen->Line(kScoreLine);
  title.Text("Other numbers", Type::kBold, colors.text);
  title.Skip(8.0F);
  title.Text(frame.report.is_measured ? "none of them decides a role" : "more come after the scan",
             Type::kSmall,
             colors.dim);
  pen->Skip(2.0F);
  for (const ScoredMetric& metric : frame.metrics) {
    if (IsMeasure(metric) && metric.scores->heads[place].score) {
      DrawScore(pen->ui, pen->Line(kScoreLine), metric, metric.scores->heads[place], nullptr);
    }
  }
}

// The head is one of the decoder or of cross-attention.
std::string WhyNotScanned(const HeadScanReport& report) {
  const auto& probe = report.sentences ? report.sentences : report.repeats;
  const std::string why = probe ? probe->report.about.no_targets : "";
  return why.empty() ? "Heads of this part have no scores yet."
                     : "Heads of this part have no scores: " + Ended(why);
}

// Accept or reject; what was answered already.
void DrawAnswers(Ui* ui, Row row, const Suggestion& one) {
  row.Skip(8.0F);
  const HeadFlag* const flag = FindFlag(FlagsInView(ui->state), one.head);
  if (flag != nullptr && flag->role == one.role) {
    row.Text("flagged", Type::kSmall, ui->colors().dim);
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
  if (row.Button("accept", accept)) {
    ui->Do(AcceptSuggestion{one.head, one.role});
  }
  row.Skip(4.0F);
  const Rect place = row.Left(ButtonWidth(*ui, reject));
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
void DrawRejected(Pen* pen, HeadIndex head) {
  const HeadFlag* const entry = FindEntry(FlagsInView(pen->ui->state), head);
  for (std::size_t i = 0; entry != nullptr && i < entry->rejected.size(); ++i) {
    const RejectedRole& rejected = entry->rejected[i];
    Row row = pen->Line(kScoreLine);
    ImGui::PushID(static_cast<int>(i));
    if (row.ButtonRight("take back",
                        {.text = "Take back",
                         .tooltip = "The suggestion may come back",
                         .type = Type::kSmall,
                         .bare = true})) {
      pen->ui->Do(TakeBackReject{head, rejected.role});
    }
    ImGui::PopID();
    row.SkipRight(8.0F);
    row.Text(
        fmt::format(
            "rejected: {}{}", rejected.role, rejected.reason.empty() ? "" : ", " + rejected.reason),
        Type::kSmall,
        pen->ui->colors().dim);
  }
}

void DrawSuggestions(Pen* pen, const HeadsFrame& frame, HeadIndex head) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const auto& found = frame.suggestions.Of(head);
  Row title = pen->Line(kScoreLine);
  title.Text("What the scores say", Type::kBold, colors.text);
  const HeadScanReport* const roles = RolesInView(ui->state);
  if (frame.report.probe.kind != ProbeKind::kBundled && roles != nullptr) {
    title.Skip(8.0F);
    title.Text("on " + NameOfProbe(roles->probe), Type::kSmall, colors.dim);
  }
  const bool is_whole = roles != nullptr && roles->is_whole();
  pen->Skip(4.0F);
  if (found.empty()) {
    pen->Small(is_whole ? NoRoleWords(*roles, FlagsInView(ui->state), head)
                        : "No role so far; the scan goes on.",
               colors.muted);
    return;
  }
  const ScoreReport* const text = TextScoresInView(ui->state);
  const auto place = PlaceOf(frame.heads, head);
  for (const Suggestion* one : found) {
    const std::string label =
        fmt::format("{}{}{}",
                    one->role,
                    one->verdict == Verdict::kBorderline ? ", borderline" : "",
                    one->from.empty() ? "" : ", from " + one->from);
    Row row(ui, pen->Take(PillHeight(*ui)));
    row.Left(Pill(*ui, row.whole().x, row.whole().y, ColorOfRole(one->role), label));
    if (is_whole || !one->from.empty()) {
      DrawAnswers(ui, row, *one);
    } else {
      row.Skip(8.0F);
      row.Text("provisional", Type::kSmall, colors.dim);
    }
    pen->Skip(4.0F);
    pen->Small(Ended(one->why), colors.muted);
    const std::string here =
        place && text != nullptr && one->from.empty() ? RoleOnTextWords(*one, *text, *place) : "";
    if (!here.empty()) {
      pen->Small(here, colors.dim);
    }
    pen->Skip(8.0F);
  }
  const std::string undecided = is_whole ? UndecidedWords(*roles, head) : "";
  if (!undecided.empty()) {
    pen->Small(undecided, colors.muted);
  }
}

}  // namespace

void DrawHeadsDetail(Ui* ui) {
  if (ui->layout.detail.width <= 0.0F ||
      (SelectedLayer(ui->state).layer == nullptr && !ShowsScoresAlone(ui->state))) {
    return;
  }
  const HeadIndex head = ui->state.selection.head;
  const std::shared_ptr<const HeadScanReport> whole = ShownScan(ui->state);
  const HeadScanReport* const report =
      whole != nullptr ? &whole->Of(PartInView(ui->state)) : nullptr;
  const auto heads = report != nullptr ? ScannedHeads(*report) : std::nullopt;
  ui->memory->pointing = false;
  Pen pen = BeginDetail(ui, HeadName(head));
  DrawDetailHeader(&pen, HeadName(head));
  pen.Skip(8.0F);
  Row top(ui, {pen.x, pen.y, pen.width, PillHeight(*ui) + ui->Px(4.0F)});
  if (top.ButtonRight("inspect",
                      {.text = "Open in Inspect", .tooltip = "This head's map in full"})) {
    ui->Do(SetScreen{&ScreenNamed("inspect").kind});
  }
  top.SkipRight(10.0F);
  Pen flag = pen.Part(0.0F, top.rest().width);
  DrawFlagLine(&flag);
  pen.y = flag.y;
  pen.Skip(6.0F);
  DrawCauseLinks(&pen);
  pen.Skip(8.0F);
  const auto place = heads ? PlaceOf(*heads, head) : std::nullopt;
  if (place) {
    HeadsFrame frame{.report = *report,
                     .heads = *heads,
                     .metrics = ScoredMetrics(*report),
                     .suggestions = SuggestionsInView(ui->state)};
    frame.metric = FindScored(frame.metrics, MetricInView(ui->state));
    frame.second = FindScored(frame.metrics, SecondMetricInView(ui->state));
    DrawSuggestions(&pen, frame, head);
    DrawRejected(&pen, head);
    pen.Skip(8.0F);
    DrawScores(&pen, frame, *place);
    pen.Skip(14.0F);
    DrawAblation(&pen);
    pen.Skip(14.0F);
    DrawEvidence(&pen);
    pen.Skip(14.0F);
    if (!HasTargetQueries(head.part)) {  // composition is of one stack
      DrawPartners(&pen, frame);
    }
    DrawRelative(&pen, head);
    pen.Skip(10.0F);
    if (frame.metric != nullptr && ExampleMeasure::Has(frame.metric->id)) {
      DrawExamples(&pen, *frame.metric);
      pen.Skip(10.0F);
    }
    DrawMeasures(&pen, frame, *place);
    pen.Skip(14.0F);
  } else if (heads) {
    pen.Small(WhyNotScanned(*report), ui->colors().muted);
    pen.Skip(14.0F);
  }
  if (!place) {
    DrawRelative(&pen, head);
    pen.Skip(10.0F);
  }
  DrawAlike(&pen);
  EndDetail(ui, pen.y);
}

}  // namespace headscope
