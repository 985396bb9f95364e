// A layer with distinct weights, cut into other numbers of heads: what the worker would answer.
#pragma once

#include <cstdint>
#include <utility>

#include "core/compute/backend.h"
#include "core/headcount/split.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"

namespace headscope::test {

// 4 heads with 4 columns each.
inline SplitResult CutDistinct(std::int64_t tokens, const SplitRequest& request) {
  const auto layer = MakeDistinct({.id = {}, .heads = 4, .queries = tokens, .keys = tokens}).layer;
  const auto backend = MakeReferenceBackend();
  auto maps = SplitMaps(backend.get(), layer, request, {});
  REQUIRE(maps.has_value());
  for (SplitCount& count : maps->counts) {
    count.is_measured = true;
  }
  return std::move(*maps);
}

}  // namespace headscope::test
