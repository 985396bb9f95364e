// What a model loses without a head, beside others of its layer.
#include <fmt/format.h>

#include "core/base/sentence.h"
#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"
#include "core/heads/scan/ablation_words.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeAblation(const FigureSubject& subject) {
  if (subject.ablation == nullptr) {
    return Fail(ErrorCode::kInput, "there is no head that was taken away");
  }
  const AblationReport& report = *subject.ablation;
  FigurePage page;
  page.title = fmt::format("Without {}", HeadName(report.own.head));
  page.caption = fmt::format("{}. {} {} Heads and layers count from 0.",
                             subject.context.model,
                             AblationWords(report),
                             AblatedTexts(report));
  page.notes = subject.context.notes;
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    const AblationKindWords words = WordsOf(kAblationKinds[kind]);
    const std::string& why_not = report.own.changes[kind].why_not;
    page.notes.push_back(fmt::format(
        "{}: {}", words.name, why_not.empty() ? words.meaning : "not measured: " + Ended(why_not)));
  }
  page.theme = subject.context.theme;
  page.size_px = subject.context.size_px;
  return std::make_unique<ChartFigure>(std::move(page),
                                       AblationChart(report, ColorsOf(subject.context.theme)));
}

}  // namespace

extern const FigureKind kAblationFigure;
const FigureKind kAblationFigure{
    .of = FigureOf::kAblation, .view = kPlainView, .make = MakeAblation};

}  // namespace headscope
