#include "core/attention/stored_weights.h"

#include <algorithm>
#include <vector>

#include "core/attention/head_vectors.h"
#include "core/base/check.h"
#include "core/compute/float_kernels.h"
#include "core/compute/fused_attention.h"
#include "core/compute/onednn_engine.h"
#include "core/compute/position_scores.h"

namespace headscope {

StoredWeights::StoredWeights(const LayerAttention& layer, std::int64_t head)
    : layer_(layer), head_(head) {
  if (!layer.content().row_max.empty()) {
    vectors_.emplace(layer, head);
  }
}

void StoredWeights::Make(const WeightBlock& block, std::span<float> out) const {
  HEADSCOPE_CHECK(out.size() == static_cast<std::size_t>(block.num_queries() * block.num_keys()),
                  "out holds the block");
  std::fill(out.begin(), out.end(), 0.0F);
  const AttentionShape& shape = layer_.shape();
  const AttentionRule& rule = layer_.rule();
  if (block.num_queries() == 0) {
    return;
  }
  // A row's visible keys begin and end no earlier than the previous row's.
  const std::int64_t first = std::max(block.key_begin, rule.FirstVisible(block.query_begin));
  const std::int64_t last =
      std::min(block.key_end, rule.LastVisible(block.query_end - 1, shape.keys));
  if (first >= last) {
    return;
  }
  if (!vectors_) {
    MakeExact(block, out);
    return;
  }
  const LayerAttention::Content& content = layer_.content();
  std::vector<float> query_room;
  std::vector<float> key_room;
  const VectorRows queries = vectors_->Queries(block.query_begin, block.query_end, &query_room);
  const VectorRows keys = vectors_->Keys(first, last, &key_room);
  const SmallProduct product{.rows = block.num_queries(),
                             .cols = last - first,
                             .in = vectors_->columns(),
                             .alpha = static_cast<float>(layer_.scale(head_)),
                             .a = queries.first,
                             .a_stride = queries.stride,
                             .b = keys.first,
                             .b_stride = keys.stride,
                             .b_transposed = true,
                             .c = out.data() + (first - block.key_begin),
                             .c_stride = block.num_keys()};
  if (!Multiply(product)) {
    MakeExact(block, out);
    return;
  }
  const auto softcap = static_cast<float>(rule.softcap);
  for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
    float* const row = out.data() + (query - block.query_begin) * block.num_keys();
    const std::int64_t row_first = std::clamp(rule.FirstVisible(query), first, last);
    const std::int64_t row_last = std::clamp(rule.LastVisible(query, shape.keys), row_first, last);
    float* const scores = row + (row_first - block.key_begin);
    const std::int64_t count = row_last - row_first;
    const auto stored = static_cast<std::size_t>(head_ * shape.queries + query);
    const std::span row_scores(scores, static_cast<std::size_t>(count));
    if (BiasesScores(rule)) {
      CapAndBias(rule, head_, query, row_first, row_scores);
    }
    if (rule.positions != nullptr) {
      const float* const own = queries.first + (query - block.query_begin) * queries.stride;
      AddPositionScores(rule,
                        head_,
                        query,
                        own,
                        {keys.first + (row_first - first) * keys.stride, keys.stride, row_first},
                        row_scores);
    }
    Kernels().weights(scores,
                      count,
                      BiasesScores(rule) ? 0.0F : softcap,
                      {content.row_max[stored], content.row_inverse_sum[stored]});
    std::fill(row, scores, 0.0F);
    std::fill(scores + count, row + block.num_keys(), 0.0F);
  }
}

void StoredWeights::MakeExact(const WeightBlock& block, std::span<float> out) const {
  const auto keys = static_cast<std::size_t>(layer_.shape().keys);
  std::vector<float> row(keys);
  for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
    layer_.Row(head_, query, row);
    layer_.MakeDrawable(row);
    std::copy(row.begin() + block.key_begin,
              row.begin() + block.key_end,
              out.begin() + (query - block.query_begin) * block.num_keys());
  }
}

float StoredWeights::LargestOfRow(std::int64_t query) const {
  const AttentionRule& rule = layer_.rule();
  const std::int64_t keys = layer_.shape().keys;
  if (rule.FirstVisible(query) >= rule.LastVisible(query, keys)) {
    return 0.0F;
  }
  if (vectors_) {
    // exp(max - max) / sum.
    return layer_.content()
        .row_inverse_sum[static_cast<std::size_t>(head_ * layer_.shape().queries + query)];
  }
  std::vector<float> row(static_cast<std::size_t>(keys));
  layer_.Row(head_, query, row);
  layer_.MakeDrawable(row);
  return *std::max_element(row.begin(), row.end());
}

}  // namespace headscope
