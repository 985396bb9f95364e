// A comparison with made-up divergences, for tests of what is shown.
#pragma once

#include <memory>
#include <vector>

#include "app/state/app_state.h"
#include "core/compare/compared_pair.h"
#include "core/compare/pair_maps.h"
#include "tests/support/attention_fixture.h"

namespace headscope::test {

// Of the picture's layers against others with `heads_b` heads: head i of A goes with head
// heads_b - 1 - i of B, and layer l, head i lie (l + 1) (i + 1) units apart.
inline std::shared_ptr<const ComparedPair> StubPair(const AppState& state,
                                                    std::int64_t heads_b = 4,
                                                    double unit = 0.01) {
  ComparedPair pair;
  pair.a = state.shown.layers;
  const Encoding& words = *state.shown.encoding;
  const SharedAxis axis = *ShareAxis({.a = words, .b = words});
  pair.queries = Unite(axis, words, words);
  pair.keys = pair.queries;
  pair.tokens_a = pair.tokens_b = std::ssize(words.tokens);
  pair.comparison.a = "alpha";
  pair.comparison.b = "beta";
  pair.comparison.queries = axis;
  pair.comparison.keys = axis;
  for (const auto& layer : pair.a) {
    pair.b.push_back(EvenLayer(layer->layer(), heads_b, layer->shape().queries));
    LayerComparison compared;
    compared.layer = layer->layer();
    compared.heads_a = layer->shape().heads;
    compared.heads_b = heads_b;
    compared.num_rows = layer->shape().queries - 1;
    compared.divergences.assign(static_cast<std::size_t>(compared.heads_a * heads_b), 0.5);
    for (std::int64_t a = 0; a < std::min(compared.heads_a, heads_b); ++a) {
      const std::int64_t b = heads_b - 1 - a;
      const double apart = unit * static_cast<double>((layer->layer() + 1) * (a + 1));
      compared.divergences[static_cast<std::size_t>(a * heads_b + b)] = apart;
      compared.pairs.push_back({a, b, apart});
    }
    pair.comparison.layers.push_back(std::move(compared));
  }
  return std::make_shared<const ComparedPair>(std::move(pair));
}

inline std::shared_ptr<const PairMaps> StubMaps(std::int64_t side) {
  PairMaps maps;
  maps.rows = maps.cols = side;
  maps.a.assign(static_cast<std::size_t>(side * side), 0.25F);
  maps.b.assign(maps.a.size(), 0.5F);
  maps.difference.assign(maps.a.size(), 0.25F);
  maps.largest = 0.5F;
  maps.furthest = 0.25F;
  return std::make_shared<const PairMaps>(std::move(maps));
}

}  // namespace headscope::test
