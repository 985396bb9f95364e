// In the panel of a head: what the model loses without it, beside others of its layer.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/ablation_words.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/pen.h"
#include "core/base/counted.h"
#include "core/base/sentence.h"

namespace headscope {
namespace {

constexpr float kAblationLine = 20.0F;  // unscaled
constexpr float kLeastStrip = 40.0F;

constexpr std::array<SegmentChoice, 2> kProbeChoices = {{
    {"Sentences", "The loss of every token of the scan's sentences"},
    {"Repeats",
     "The loss of the tokens that the first block of a repeat tells: what induction heads are for"},
}};

// One scale for all three ways: nought is on it.
struct ChangeScale {
  double least = 0.0;
  double most = 0.0;

  void Take(const AblatedHead& head) {
    for (const AblatedHead::Change& change : head.changes) {
      if (change.change) {
        least = std::min(least, *change.change - change.error.value_or(0.0));
        most = std::max(most, *change.change + change.error.value_or(0.0));
      }
    }
  }
};

std::string ChangeWords(const AblatedHead& head, std::size_t kind) {
  const AblatedHead::Change& change = head.changes[kind];
  std::string words = HeadName(head.head) + " ";
  if (!change.change) {
    return words + change.why_not;
  }
  return words + ChangeText(*change.change) + ChangeErrorText(change.error);
}

std::string StripTooltip(const AblationReport& report, std::size_t kind) {
  std::string words = ChangeWords(report.own, kind) + " nats a token";
  for (std::size_t i = 0; i < report.controls.size(); ++i) {
    words +=
        (i == 0 ? "\nothers of its layer, drawn: " : ", ") + ChangeWords(report.controls[i], kind);
  }
  return words;
}

// Line: no change; rings: other heads; dot and bar: this one with its error.
void DrawChangeStrip(const Ui& ui,
                     const Rect& strip,
                     const AblationReport& report,
                     const ChangeScale& scale,
                     std::size_t kind) {
  const ThemeColors& colors = ui.colors();
  const float middle = strip.y + strip.height / 2.0F;
  FillRect(ui, {strip.x, middle - ui.Px(1.0F), strip.width, ui.Px(2.0F)}, colors.background, 1.0F);
  Chart chart{.across = {.low = scale.least, .high = scale.most}, .up = {.low = -1.0}};
  chart.marks.emplace_back(ChartLine{
      .x0 = 0.0, .y0 = 1.0, .x1 = 0.0, .y1 = -1.0, .ink = {colors.text}, .thickness = 1.5F});
  for (const AblatedHead& other : report.controls) {
    if (const auto& change = other.changes[kind].change) {
      chart.marks.emplace_back(ChartDot{.x = *change, .ink = {colors.muted}, .ring = 1.5F});
    }
  }
  const AblatedHead::Change& own = report.own.changes[kind];
  if (own.change) {
    const double error = own.error.value_or(0.0);
    chart.marks.emplace_back(ChartLine{.x0 = *own.change - error,
                                       .x1 = *own.change + error,
                                       .ink = {colors.accent},
                                       .thickness = 2.0F});
    chart.marks.emplace_back(ChartDot{.x = *own.change, .ink = {colors.accent}, .radius = 4.5F});
  }
  DrawMarks(ui, Inset(strip, ui.Px(5.0F), ui.Px(2.0F)), chart);
}

void DrawAblationKind(Pen* pen,
                      const AblationReport& report,
                      const ChangeScale& scale,
                      std::size_t kind) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const AblationKindWords words = WordsOf(kAblationKinds[kind]);
  const AblatedHead::Change& own = report.own.changes[kind];
  std::string number = own.change ? ChangeText(*own.change) : "–";
  if (own.error) {
    number += fmt::format(" ±{:.3f}", *own.error);
  }
  Row row = pen->Line(kAblationLine);
  row.Cell(
      std::min(ui->Px(176.0F), pen->width * 0.38F), words.name, Type::kSmall, colors.text, 8.0F);
  const float numbers = row.TextRight(number, Type::kMonoSmall, colors.text);
  row.Right(std::max(0.0F, ui->Px(104.0F) - numbers) + ui->Px(10.0F));
  if (row.rest().width > ui->Px(kLeastStrip)) {
    DrawChangeStrip(*ui, row.rest(), report, scale, kind);
  }
  Area(ui, "ablation", static_cast<int>(kind), row.whole(), StripTooltip(report, kind));
  pen->Small(own.change ? words.meaning : "Not measured: " + Ended(own.why_not), colors.dim);
  pen->Skip(6.0F);
}

void DrawAnswer(Pen* pen, const AblationReport& report) {
  const ThemeColors& colors = pen->ui->colors();
  ChangeScale scale;
  scale.Take(report.own);
  for (const AblatedHead& other : report.controls) {
    scale.Take(other);
  }
  pen->Small(AblationWords(report), colors.text);
  pen->Skip(6.0F);
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    DrawAblationKind(pen, report, scale, kind);
  }
  pen->Small(AblatedTexts(report), colors.dim);
}

void DrawProgress(Pen* pen) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Row row = pen->Line(26.0F);
  if (row.Button("stop ablating",
                 {.text = "Stop",
                  .tooltip = "What is measured so far is kept (Ctrl+.)",
                  .type = Type::kSmall})) {
    ui->Do(CancelWork);
  }
  row.Skip(10.0F);
  const AblationReport* const report = AblationUnderWay(ui->state);
  DrawProgressBar(*ui,
                  row.Left(ui->Px(90.0F)),
                  report == nullptr
                      ? 0.0F
                      : static_cast<float>(report->done) / static_cast<float>(report->total));
  row.Skip(10.0F);
  row.Text(AblatingWords(ui->state), Type::kSmall, colors.muted);
  pen->Skip(8.0F);
}

// The button, or how far it is; and which texts.
void DrawAsking(Pen* pen, const AblationState::Question& question, const AblationReport* report) {
  Ui* const ui = pen->ui;
  const AblationState& ablation = ui->state.ablation;
  if (ablation.request != 0 && ablation.wanted == question) {
    DrawProgress(pen);
    return;
  }
  if (report != nullptr && report->is_whole()) {
    return;
  }
  const ButtonLook ask{
      .text = report != nullptr ? "Go on with the others" : "What if this head were taken away?",
      .tooltip =
          "Runs the texts of the scan without this head, three ways, then without each of "
          "up to ten others of its layer, drawn: taking any head away does harm",
      .type = Type::kSmall};
  const float wide = std::min(pen->width, ButtonWidth(*ui, ask));
  if (Button(ui, "ablate", pen->Line(26.0F).Left(wide), ask)) {
    ui->Do(AblateHead);
  }
  pen->Skip(8.0F);
  if (ablation.faulty == question) {
    pen->Small("Not measured: " + ablation.fault, ui->colors().muted);
  }
}

// Which texts, where the scan has two kinds and the switch finds room.
void DrawProbeSwitch(Ui* ui, Row* heading, const AblationState::Question& question) {
  const float wide = SegmentsWidth(*ui, kProbeChoices);
  if (!HasBothProbes(ui->state) || wide >= heading->rest().width - ui->Px(10.0F)) {
    return;
  }
  Rect place = heading->Right(wide);
  place.y -= ui->Px(2.0F);
  place.height = ui->Px(24.0F);
  Choose<AblateOn>(ui, "ablation probe", place, kProbeChoices, question.on_repeats);
  heading->SkipRight(8.0F);
}

}  // namespace

void DrawAblation(Pen* pen) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const AppState& state = ui->state;
  Row heading = pen->Heading("Without this head");
  pen->Skip(6.0F);
  if (const std::string why_not = WhyNotAblated(state); !why_not.empty()) {
    pen->Small(why_not, colors.muted);
    return;
  }
  const auto question = AblationQuestion(state);
  if (question) {
    DrawProbeSwitch(ui, &heading, *question);
  }
  const char* const about = !question ? "once the scan is done"
                            : OwnScanInView(state) != nullptr
                                ? "on the built-in texts; nats a token; dot: it, rings: others"
                                : "nats a token; dot: it, rings: others";
  heading.Skip(10.0F);
  if (TextWidth(*ui, about, Type::kSmall) <= heading.rest().width) {
    heading.Text(about, Type::kSmall, colors.dim);
  } else {
    pen->Small(about, colors.dim);
    pen->Skip(4.0F);
  }
  if (!question) {
    return;
  }
  const AblationReport* const report = AblationInView(state);
  DrawAsking(pen, *question, report);
  if (report != nullptr) {
    DrawAnswer(pen, *report);
  }
}

}  // namespace headscope
