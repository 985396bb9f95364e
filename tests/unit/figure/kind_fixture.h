// What the tests of figure kinds draw: even maps of two layers, and what is said of them.
#pragma once

#include <memory>
#include <vector>

#include "core/figure/figure_kind.h"
#include "core/figure/figure_map.h"
#include "core/figure/pixels.h"
#include "core/figure/pool.h"
#include "tests/support/attention_fixture.h"

namespace headscope::test {

inline FigureContext KindContext() {
  FigureContext context;
  context.model = ModelLine("probe", "gpt2", 2, 3, 6, 2);
  context.text = "a\n text";
  context.tokens = {"a", "text", "."};
  context.size_px = 400;
  return context;
}

inline FigureSubject KindSubject(std::int64_t tokens, HeadIndex head = {}) {
  return {{EvenLayer(0, 3, tokens), EvenLayer(1, 3, tokens)}, head, nullptr, KindContext()};
}

inline Result<std::unique_ptr<Figure>> MakeFigure(FigureOf of, const FigureSubject& subject) {
  return FindFigureKind(of)->make(subject);
}

// As they are drawn with a cell or more for each.
inline std::vector<float> DrawnWeights(const FigureMap& map) {
  return *PooledMap(map.view, map.queries, map.keys, Pool::kLargest, {});
}

}  // namespace headscope::test
