#include "core/compare/compared_pair.h"

#include <algorithm>
#include <utility>

namespace headscope {

const std::shared_ptr<const LayerAttention>& ComparedPair::LayerA(std::int64_t layer) const {
  return FindLayer(a, layer);
}

const std::shared_ptr<const LayerAttention>& ComparedPair::LayerB(std::int64_t layer) const {
  return FindLayer(b, layer);
}

const LayerComparison* ComparedPair::Layer(std::int64_t layer) const {
  const auto found = std::ranges::find(comparison.layers, layer, &LayerComparison::layer);
  return found != comparison.layers.end() ? &*found : nullptr;
}

Result<ComparedPair> PairUp(const SeenLayers& a,
                            const SeenLayers& b,
                            SharedAxis queries,
                            SharedAxis keys,
                            const TokenLook& look,
                            const CompareProgress& progress,
                            const std::stop_token& stop) {
  ComparedPair pair;
  pair.a = a.layers;
  pair.b = b.layers;
  pair.queries = Unite(queries, *a.queries, *b.queries);
  pair.keys = Unite(keys, *a.keys, *b.keys);
  pair.tokens_a = std::ssize(a.queries->tokens);
  pair.tokens_b = std::ssize(b.queries->tokens);
  HEADSCOPE_TRY(
      pair.comparison,
      CompareAttention(a.layers, b.layers, std::move(queries), std::move(keys), progress, stop));
  if (!look.IsPlain()) {
    std::string words = WordsOf(look) + ".";
    if (look.Hides() && !look.renormalises) {
      words += " What a row gave to them counts as one key.";
    }
    pair.comparison.notes.insert(pair.comparison.notes.begin(), std::move(words));
  }
  return pair;
}

}  // namespace headscope
