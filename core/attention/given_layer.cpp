#include "core/attention/given_layer.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/thumbnail_builder.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsRead = std::int64_t{1} << 18U;

}  // namespace

GivenWeights HeldWeights(const std::shared_ptr<const std::vector<float>>& weights,
                         const AttentionShape& shape) {
  return {.weights = {.name = "attention",
                      .type = DataType::kF32,
                      .shape = {shape.heads, shape.queries, shape.keys},
                      .bytes = std::as_bytes(std::span(*weights))},
          .keeper = weights};
}

Result<std::shared_ptr<const LayerAttention>> MakeGivenLayer(LayerAttention::Content content,
                                                             std::int64_t thumbnail_size,
                                                             const std::stop_token& stop) {
  const AttentionShape shape = content.shape;
  content.largest.assign(static_cast<std::size_t>(shape.heads), 0.0F);
  const LayerAttention bare(content);
  ThumbnailBuilder builder(content.shape, content.rule, thumbnail_size);
  const std::int64_t rows = std::clamp<std::int64_t>(kCellsRead / shape.keys, 1, shape.queries);
  const std::int64_t heads =
      std::clamp<std::int64_t>(kCellsRead / (rows * shape.keys), 1, shape.heads);
  std::vector<float> weights(static_cast<std::size_t>(heads * rows * shape.keys));
  for (std::int64_t head = 0; head < shape.heads; head += heads) {
    for (std::int64_t query = 0; query < shape.queries; query += rows) {
      HEADSCOPE_TRY(CheckStop(stop));
      AttentionBlock block;
      block.head_begin = head;
      block.head_end = std::min(shape.heads, head + heads);
      block.query_begin = query;
      block.query_end = std::min(shape.queries, query + rows);
      block.keys = shape.keys;
      const std::int64_t cells = (block.query_end - query) * shape.keys;
      for (std::int64_t i = 0; i < block.head_end - head; ++i) {
        const std::span<float> own(weights.data() + i * cells, static_cast<std::size_t>(cells));
        bare.Rows(head + i, query, block.query_end, own);
        bare.MakeDrawable(own);
        float& largest = content.largest[static_cast<std::size_t>(head + i)];
        largest = std::max(largest, LargestWhereSeveral(content.rule, query, shape.keys, own));
      }
      block.weights = std::span<const float>(
          weights.data(), static_cast<std::size_t>((block.head_end - head) * cells));
      builder.Add(block);
    }
  }
  content.thumbnails = builder.Take();
  return std::make_shared<const LayerAttention>(std::move(content));
}

}  // namespace headscope
