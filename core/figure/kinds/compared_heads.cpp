// Two heads of a comparison, side by side with their tokens, and their difference.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/figure/comparison_words.h"
#include "core/figure/figure_kind.h"
#include "core/figure/map_pair.h"
#include "core/figure/pair_scale.h"

namespace headscope {
namespace {

std::string ApartWords(const LayerComparison& layer, const HeadsBeside& beside) {
  std::string words =
      "No row sees two keys or more in both: nothing can be said of how far the two lie apart.";
  if (layer.num_rows > 0) {
    words = fmt::format(
        "Divergence: {} nats, Jensen-Shannon, the mean over {} that see two keys or more; 0 where "
        "two heads are alike, 0.693 where they share nothing.",
        ShortDivergence(layer.Divergence(beside.a, beside.b)),
        Counted(layer.num_rows, "row"));
  }
  return beside.by_hand ? words + " Paired by hand." : words;
}

Result<std::unique_ptr<Figure>> MakeComparedHeads(const FigureSubject& subject) {
  const HeadsBeside* const beside = subject.beside.get();
  const LayerComparison* const layer =
      beside != nullptr && beside->of != nullptr ? beside->of->Layer(beside->layer) : nullptr;
  if (layer == nullptr || subject.comparison == nullptr) {
    return Fail(ErrorCode::kInput, "there are no two heads to draw");
  }
  if (beside->a < 0 || beside->a >= layer->heads_a || beside->b < 0 ||
      beside->b >= layer->heads_b) {
    return Fail(ErrorCode::kInput, "the pair asked for has a head that is not there");
  }
  const Comparison& comparison = *subject.comparison;
  const std::string a = HeadName({beside->layer, beside->a, comparison.part_a});
  const std::string b = HeadName({beside->layer, beside->b, comparison.part_b});
  FigurePage page =
      PageOf(subject.context,
             comparison.part_a,
             fmt::format("{} of {} (A) and {} of {} (B)", a, comparison.a, b, comparison.b));
  const UnionAxis& rows = beside->of->queries;
  if (rows.only_a + rows.only_b > 0) {
    page.masked_word = "masked, or of one side only";
  }
  page.notes.insert(page.notes.begin(), ApartWords(*layer, *beside));
  page.notes.insert(page.notes.end(), comparison.notes.begin(), comparison.notes.end());
  MapPairContent content{
      .heads = *beside,
      .titles = {fmt::format("A  {}  {}", a, comparison.a),
                 fmt::format("B  {}  {}", b, comparison.b)},
      .scale =
          ScaleOfPair(subject.context.scale, *beside->of, beside->layer, beside->a, beside->b)};
  return std::make_unique<MapPair>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kComparedHeadsFigure;
const FigureKind kComparedHeadsFigure{
    .of = FigureOf::kPair, .view = kPlainView, .make = MakeComparedHeads};

}  // namespace headscope
