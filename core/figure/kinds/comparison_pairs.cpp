// How far every head of A lies from every head of B: one map per layer, with the matching framed;
// below, the pairs that lie furthest apart are named.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/figure/comparison_words.h"
#include "core/figure/figure_kind.h"
#include "core/figure/map_rows.h"

namespace headscope {
namespace {

FigureMap MapOfPairs(const LayerComparison& layer, ModelPart part, const ColorScale& scale) {
  FigureMap map;
  map.title = LayerName({part, layer.layer});
  map.queries = layer.heads_a;
  map.keys = layer.heads_b;
  map.scale = scale;
  for (const double divergence : layer.divergences) {
    map.weights.push_back(layer.num_rows > 0 ? static_cast<float>(divergence) : kMasked);
  }
  for (const HeadPair& pair : layer.pairs) {
    map.marks.push_back({pair.a, pair.b});
  }
  return map;
}

constexpr std::size_t kMostNamed = 8;

std::vector<std::vector<std::string>> TableOfPairs(const Comparison& comparison) {
  std::vector<std::vector<std::string>> table;
  for (const LargestDivergence& each : FurthestFirst(comparison)) {
    if (table.size() > kMostNamed || !each.pair.divergence) {
      break;
    }
    if (table.empty()) {
      table.push_back({"furthest apart, of A against of B", "divergence"});
    }
    table.push_back({fmt::format("{} against {}",
                                 HeadName({each.layer, each.pair.a, comparison.part_a}),
                                 HeadName({each.layer, each.pair.b, comparison.part_b})),
                     ShortDivergence(*each.pair.divergence)});
  }
  return table;
}

Result<std::unique_ptr<Figure>> MakeComparisonPairs(const FigureSubject& subject) {
  if (subject.comparison == nullptr || subject.comparison->layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no comparison to draw");
  }
  const Comparison& comparison = *subject.comparison;
  const auto layers = static_cast<double>(comparison.layers.size());
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(1.5 * layers)));
  const ColorScale scale = DivergenceScale(subject.context.scale, LargestOfAll(comparison));
  MapRowsContent content;
  for (const LayerComparison& layer : comparison.layers) {
    if (content.rows.empty() || std::ssize(content.rows.back().maps) == columns) {
      content.rows.emplace_back();
      content.rows.back().slots = std::min<std::int64_t>(columns, std::ssize(comparison.layers));
    }
    content.rows.back().maps.push_back(MapOfPairs(layer, comparison.part_a, scale));
  }
  content.table = TableOfPairs(comparison);
  FigurePage page = ComparisonPage(
      subject.context,
      comparison,
      "A map for each layer: rows are heads of A, columns are heads of B, both from 0; heads that "
      "are matched are framed.");
  page.masked_word = "no row";
  page.notes.push_back(DivergenceScaleWords(subject.context.scale, LargestOfAll(comparison)));
  return std::make_unique<MapRows>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kComparisonPairsFigure;
const FigureKind kComparisonPairsFigure{.of = FigureOf::kComparison,
                                        .view = "pairs",
                                        .make = MakeComparisonPairs,
                                        .numbers = kComparisonNumbers};

}  // namespace headscope
