// How well the model said each token of the text.
#include <fmt/format.h>

#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"
#include "core/figure/loss_chart.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<const ShownLosses*> LossesIn(const FigureSubject& subject) {
  return subject.losses != nullptr ? Result<const ShownLosses*>(subject.losses.get())
                                   : Fail(ErrorCode::kInput, "there is no loss of a token to draw");
}

Result<Table> TableOfLosses(const FigureSubject& subject) {
  HEADSCOPE_TRY(const ShownLosses* const losses, LossesIn(subject));
  return LossTable(*losses);
}

Result<std::unique_ptr<Figure>> MakeLosses(const FigureSubject& subject) {
  HEADSCOPE_TRY(const ShownLosses* const losses, LossesIn(subject));
  HEADSCOPE_TRY(auto chart, LossChart(*losses, ColorsOf(subject.context.theme)));
  FigurePage page = PageOf(subject.context, losses->part, "Loss of each token", "");
  if (losses->whole->losses.loss) {
    page.caption += fmt::format(
        " Each bar is -log of the probability that the model gave the token that came, in nats; "
        "their mean is {:.3f}.",
        *losses->whole->losses.loss);
  }
  if (losses->without != nullptr && losses->without->losses.loss) {
    page.caption +=
        fmt::format(" Without {} it is {:.3f}.", losses->off, *losses->without->losses.loss);
  }
  return std::make_unique<ChartFigure>(std::move(page), std::move(chart));
}

constexpr auto kLossFormats = TableFormats<TableOfLosses>("place,token,loss");

}  // namespace

extern const FigureKind kLossesFigure;
const FigureKind kLossesFigure{.of = FigureOf::kLosses,
                               .view = kPlainView,
                               .make = MakeLosses,
                               .numbers = kLossFormats,
                               .table = TableOfLosses};

}  // namespace headscope
