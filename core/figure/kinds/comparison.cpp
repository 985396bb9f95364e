// How far each head of A lies from its partner in B: one row per layer, with the partner in the
// cell.
#include <algorithm>

#include <fmt/format.h>

#include "core/figure/comparison_words.h"
#include "core/figure/figure_kind.h"
#include "core/figure/token_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeComparison(const FigureSubject& subject) {
  if (subject.comparison == nullptr || subject.comparison->layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no comparison to draw");
  }
  const Comparison& comparison = *subject.comparison;
  const std::int64_t heads = comparison.layers.front().heads_a;
  TokenMapContent content;
  content.map.queries = std::ssize(comparison.layers);
  content.map.keys = heads;
  content.map.scale = DivergenceScale(subject.context.scale, LargestOfPairs(comparison));
  for (std::int64_t row = 0; row < content.map.queries; ++row) {
    const LayerComparison& layer = comparison.layers[static_cast<std::size_t>(row)];
    const auto mean = layer.Mean();
    const std::string name = LayerName({comparison.part_a, layer.layer});
    content.query_tokens.push_back(mean ? fmt::format("{}  {}", name, ShortDivergence(*mean))
                                        : name);
    for (std::int64_t head = 0; head < heads; ++head) {
      const HeadPair* const pair = layer.PairOf(head);
      const bool has_value = pair != nullptr && pair->divergence;
      content.map.weights.push_back(has_value ? static_cast<float>(*pair->divergence) : kMasked);
      if (pair != nullptr) {
        content.map.marks.push_back({row, head, fmt::format("H{}", pair->b)});
      }
    }
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    content.key_tokens.push_back(fmt::format("H{}", head));
  }
  FigurePage page = ComparisonPage(
      subject.context,
      comparison,
      "Rows are layers, with the mean of their pairs; columns are heads of A; in a cell stands its "
      "partner in B. Heads and layers count from 0.");
  page.notes.push_back(DivergenceScaleWords(subject.context.scale, LargestOfPairs(comparison)));
  return std::make_unique<TokenMap>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kComparisonFigure;
const FigureKind kComparisonFigure{.of = FigureOf::kComparison,
                                   .view = kPlainView,
                                   .make = MakeComparison,
                                   .numbers = kComparisonNumbers};

}  // namespace headscope
