// A layer of one head whose weights are given, row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/given_layer.h"

namespace headscope::test {

inline std::shared_ptr<const LayerAttention> GivenMap(const std::vector<std::vector<float>>& rows,
                                                      bool causal) {
  const auto n = static_cast<std::int64_t>(rows.size());
  LayerAttention::Content content;
  content.shape = {.queries = n, .keys = n, .heads = 1, .kv_heads = 1};
  content.rule.causal = causal;
  auto kept = std::make_shared<std::vector<float>>();
  for (const std::vector<float>& row : rows) {
    kept->insert(kept->end(), row.begin(), row.end());
  }
  content.given = HeldWeights(kept, content.shape);
  return MakeGivenLayer(std::move(content), kThumbnailSize, {}).value();
}

}  // namespace headscope::test
