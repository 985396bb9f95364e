// What the tests of figure kinds draw: even maps of two layers, and what is said of them.
#pragma once

#include <memory>
#include <vector>

#include "core/figure/figure_kind.h"
#include "core/figure/figure_map.h"
#include "core/figure/pixels.h"
#include "core/figure/pool.h"
#include "core/figure/theme.h"
#include "tests/support/attention_fixture.h"

namespace headscope::test {

inline FigureContext KindContext() {
  FigureContext context;
  context.model = ModelLine("probe", "gpt2", 2, 3, 6, "2");
  context.text = "a\n text";
  context.tokens = {"a", "text", "."};
  context.size_px = 400;
  return context;
}

inline FigureSubject KindSubject(std::int64_t tokens, HeadIndex head = {}) {
  return {{EvenLayer(0, 3, tokens), EvenLayer(1, 3, tokens)}, head, nullptr, KindContext()};
}

// Two layers: A has one head more than B, and the first two are swapped.
inline std::shared_ptr<const Comparison> SwappedHeads() {
  auto made = std::make_shared<Comparison>();
  made->a = "probe";
  made->b = "other";
  made->queries.names = made->keys.names = {"a", "text", "."};
  for (const std::int64_t layer : {0, 1}) {
    made->layers.push_back({.layer = layer,
                            .heads_a = 3,
                            .heads_b = 2,
                            .num_rows = 2,
                            .divergences = {0.5, 0.125, 0.25, 0.5, 0.5, 0.5},
                            .pairs = {{0, 1, 0.125}, {1, 0, 0.25}}});
  }
  made->notes = {"A has 3 heads in a layer and B 2."};
  return made;
}

// Heads 0 of A and B in a layer of that number, on tokens that both have.
inline std::shared_ptr<const HeadsBeside> BesideOf(const std::shared_ptr<const LayerAttention>& a,
                                                   const std::shared_ptr<const LayerAttention>& b) {
  auto pair = std::make_shared<ComparedPair>();
  const auto words = NumberedWords(a->shape().queries);
  const SharedAxis axis = *ShareAxis({.a = *words, .b = *words});
  pair->queries = Unite(axis, *words, *words);
  pair->keys = pair->queries;
  pair->a = {a};
  pair->b = {b};
  pair->comparison = *CompareAttention(pair->a, pair->b, axis, axis, {}, {});
  return std::make_shared<const HeadsBeside>(HeadsBeside{.of = pair, .layer = a->layer()});
}

inline Result<std::unique_ptr<Figure>> MakeFigure(FigureOf of, const FigureSubject& subject) {
  return FindFigureKind(of)->make(subject);
}

// As they are drawn with a cell or more for each.
inline std::vector<float> DrawnWeights(const FigureMap& map) {
  return *PooledMap(map.view, map.queries, map.keys, Pool::kLargest, {});
}

inline Rgb ColorAt(const Pixels& pixels, int x, int y) {
  const auto at = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
                       static_cast<std::size_t>(x));
  return {pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]};
}

// The first row of the bar of colours, by the long line around it: the content stands above.
inline int BarTop(const Pixels& pixels, Theme theme) {
  constexpr int kLong = 150;
  for (int y = 0; y < pixels.height; ++y) {
    int line = 0;
    for (int x = 0; x < pixels.width; ++x) {
      line += ColorAt(pixels, x, y) == ColorsOf(theme).line ? 1 : 0;
    }
    if (line > kLong) {
      return y;
    }
  }
  return pixels.height;
}

}  // namespace headscope::test
