// How far back or ahead a head looks on the text.
#include <fmt/format.h>

#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"
#include "core/figure/score_charts.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeHeadRelative(const FigureSubject& subject) {
  const auto layer = LayerOf(subject);
  const std::int64_t head = subject.head.head;
  if (!layer || head < 0 || head >= (*layer)->shape().heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{} is asked for, which this model does not have", HeadName(subject.head)));
  }
  const MapView view{.layer = *layer, .head = head};
  constexpr std::int64_t kMostRows = 1024;  // all are made at once, which must not take long
  if (view.queries() > kMostRows) {
    return Fail(ErrorCode::kInput,
                fmt::format("attention by relative position is drawn of texts of up to {} tokens, "
                            "and this one has {}; take its first ones",
                            kMostRows,
                            view.queries()));
  }
  const ModelPart part = (*layer)->part();
  const bool is_cross = part == ModelPart::kCross;
  Chart chart =
      DistanceChart(AttentionByDistance(view, is_cross ? 1 : 0), ColorsOf(subject.context.theme));
  FigurePage page = PageOf(
      subject.context,
      part,
      fmt::format("{}: attention by relative position", HeadName(subject.head)),
      is_cross ? "0: the same place in the source; heads and layers count from 0."
               : "A bar is the mean over the rows that see such a key; heads and layers count "
                 "from 0.");
  return std::make_unique<ChartFigure>(std::move(page), std::move(chart));
}

}  // namespace

extern const FigureKind kHeadRelativeFigure;
const FigureKind kHeadRelativeFigure{
    .of = FigureOf::kHead, .view = "relative", .make = MakeHeadRelative};

}  // namespace headscope
