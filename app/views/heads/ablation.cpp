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
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"

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
  [[nodiscard]] float At(double value) const {
    return most > least ? static_cast<float>((value - least) / (most - least)) : 0.0F;
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
void DrawChangeStrip(Ui* ui,
                     const Rect& strip,
                     const AblationReport& report,
                     const ChangeScale& scale,
                     std::size_t kind) {
  const ThemeColors& colors = ui->colors();
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float inner = ui->Px(5.0F);
  const auto at = [&](double value) {
    return strip.x + inner + (strip.width - 2.0F * inner) * scale.At(value);
  };
  const float middle = strip.y + strip.height / 2.0F;
  FillRect(
      *ui, {strip.x, middle - ui->Px(1.0F), strip.width, ui->Px(2.0F)}, colors.background, 1.0F);
  list->AddLine({at(0.0), strip.y + ui->Px(2.0F)},
                {at(0.0), strip.y + strip.height - ui->Px(2.0F)},
                ToImGui(colors.text),
                ui->Px(1.5F));
  for (const AblatedHead& other : report.controls) {
    if (const auto& change = other.changes[kind].change) {
      list->AddCircle({at(*change), middle}, ui->Px(4.0F), ToImGui(colors.muted), 0, ui->Px(1.5F));
    }
  }
  const AblatedHead::Change& own = report.own.changes[kind];
  if (own.change) {
    const double error = own.error.value_or(0.0);
    list->AddLine({at(*own.change - error), middle},
                  {at(*own.change + error), middle},
                  ToImGui(colors.accent),
                  ui->Px(2.0F));
    list->AddCircleFilled({at(*own.change), middle}, ui->Px(4.5F), ToImGui(colors.accent));
  }
}

float DrawAblationKind(Ui* ui,
                       float x,
                       float y,
                       float width,
                       const AblationReport& report,
                       const ChangeScale& scale,
                       std::size_t kind) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(kAblationLine);
  const AblationKindWords words = WordsOf(kAblationKinds[kind]);
  const AblatedHead::Change& own = report.own.changes[kind];
  const float names = std::min(ui->Px(176.0F), width * 0.38F);
  DrawTextIn(*ui, {x, y, names, line}, words.name, Type::kSmall, colors.text, names - ui->Px(8.0F));
  std::string number = own.change ? ChangeText(*own.change) : "–";
  if (own.error) {
    number += fmt::format(" ±{:.3f}", *own.error);
  }
  const float numbers = TextWidth(*ui, number, Type::kMonoSmall);
  DrawTextIn(
      *ui, {x + width - numbers, y, numbers, line}, number, Type::kMonoSmall, colors.text, numbers);
  const Rect strip{
      x + names, y, width - names - std::max(numbers, ui->Px(104.0F)) - ui->Px(10.0F), line};
  if (strip.width > ui->Px(kLeastStrip)) {
    DrawChangeStrip(ui, strip, report, scale, kind);
  }
  ImGui::PushID(static_cast<int>(kind));
  Area(ui, "ablation", {x, y, width, line}, StripTooltip(report, kind));
  ImGui::PopID();
  const std::string below = own.change ? words.meaning : "Not measured: " + own.why_not + ".";
  return line + DrawParagraph(*ui, x, y + line, width, below, Type::kSmall, colors.dim) +
         ui->Px(6.0F);
}

float DrawAnswer(Ui* ui, float x, float y, float width, const AblationReport& report) {
  const ThemeColors& colors = ui->colors();
  ChangeScale scale;
  scale.Take(report.own);
  for (const AblatedHead& other : report.controls) {
    scale.Take(other);
  }
  float top = y;
  top += DrawParagraph(*ui, x, top, width, AblationWords(report), Type::kSmall, colors.text) +
         ui->Px(6.0F);
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    top += DrawAblationKind(ui, x, top, width, report, scale, kind);
  }
  top += DrawParagraph(*ui, x, top, width, AblatedTexts(report), Type::kSmall, colors.dim);
  return top - y;
}

float DrawProgress(Ui* ui, float x, float y, float width) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(26.0F);
  const ButtonLook stop{
      .text = "Stop", .tooltip = "What is measured so far is kept (Ctrl+.)", .type = Type::kSmall};
  const float wide = ButtonWidth(*ui, stop);
  if (Button(ui, "stop ablating", {x, y, wide, line}, stop)) {
    ui->Do(CancelWork{});
  }
  const float bar = ui->Px(90.0F);
  const float height = ui->Px(5.0F);
  const Rect track{x + wide + ui->Px(10.0F), y + (line - height) / 2.0F, bar, height};
  FillRect(*ui, track, colors.raised, 3.0F);
  if (const AblationReport* const report = AblationUnderWay(ui->state)) {
    const float part = static_cast<float>(report->done) / static_cast<float>(report->total);
    FillRect(*ui, {track.x, track.y, bar * part, height}, colors.accent, 3.0F);
  }
  const float words = track.x + bar + ui->Px(10.0F);
  DrawTextIn(*ui,
             {words, y, 0.0F, line},
             AblatingWords(ui->state),
             Type::kSmall,
             colors.muted,
             std::max(ui->Px(20.0F), x + width - words));
  return line + ui->Px(8.0F);
}

// The button, or how far it is; and which texts.
float DrawAsking(Ui* ui,
                 float x,
                 float y,
                 float width,
                 const AblationState::Question& question,
                 const AblationReport* report) {
  const AblationState& ablation = ui->state.ablation;
  float top = y;
  if (ablation.request != 0 && ablation.wanted == question) {
    return DrawProgress(ui, x, top, width);
  }
  if (report != nullptr && report->is_whole()) {
    return 0.0F;
  }
  const ButtonLook ask{
      .text = report != nullptr ? "Go on with the others" : "What if this head were taken away?",
      .tooltip =
          "Runs the texts of the scan without this head, three ways, then without each of "
          "up to ten others of its layer, drawn: taking any head away does harm",
      .type = Type::kSmall};
  const float line = ui->Px(26.0F);
  if (Button(ui, "ablate", {x, top, std::min(width, ButtonWidth(*ui, ask)), line}, ask)) {
    ui->Do(AblateHead{});
  }
  top += line + ui->Px(8.0F);
  if (ablation.faulty == question) {
    top += DrawParagraph(
        *ui, x, top, width, "Not measured: " + ablation.fault, Type::kSmall, ui->colors().muted);
  }
  return top - y;
}

}  // namespace

float DrawAblation(Ui* ui, float x, float y, float width) {
  const ThemeColors& colors = ui->colors();
  const AppState& state = ui->state;
  const float line = ui->Px(kAblationLine);
  const float title =
      DrawTextIn(*ui, {x, y, width, line}, "Without this head", Type::kBold, colors.text);
  float top = y + line + ui->Px(6.0F);
  if (const std::string why_not = WhyNotAblated(state); !why_not.empty()) {
    top += DrawParagraph(*ui, x, top, width, why_not, Type::kSmall, colors.muted);
    return top - y;
  }
  const auto question = AblationQuestion(state);
  float room = width - title - ui->Px(10.0F);
  if (question && HasBothProbes(state)) {
    const float wide = SegmentsWidth(*ui, kProbeChoices);
    if (wide < room) {
      const Rect place{x + width - wide, y - ui->Px(2.0F), wide, ui->Px(24.0F)};
      const int pressed =
          Segments(ui, "ablation probe", place, kProbeChoices, question->on_repeats ? 1 : 0);
      if (pressed >= 0) {
        ui->Do(AblateOn{pressed == 1});
      }
      room -= wide + ui->Px(8.0F);
    }
  }
  const char* const about = !question ? "once the scan is done"
                            : OwnScanInView(state) != nullptr
                                ? "on the bundled probe; nats a token; dot: it, rings: others"
                                : "nats a token; dot: it, rings: others";
  if (TextWidth(*ui, about, Type::kSmall) <= room) {
    DrawTextIn(*ui, {x + title + ui->Px(10.0F), y, 0.0F, line}, about, Type::kSmall, colors.dim);
  } else {
    top += DrawParagraph(*ui, x, top, width, about, Type::kSmall, colors.dim) + ui->Px(4.0F);
  }
  if (!question) {
    return top - y;
  }
  const AblationReport* const report = AblationInView(state);
  top += DrawAsking(ui, x, top, width, *question, report);
  if (report != nullptr) {
    top += DrawAnswer(ui, x, top, width, *report);
  }
  return top - y;
}

}  // namespace headscope
