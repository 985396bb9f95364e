#include "core/attention/head_vectors.h"

#include <algorithm>
#include <utility>

namespace headscope {

HeadVectors::HeadVectors(const LayerAttention& layer, std::int64_t head) {
  // In a cut, these are the original layer's.
  const LayerAttention& source = layer.source();
  const AttentionShape& shape = source.shape();
  const std::int64_t group = shape.heads / shape.kv_heads;
  std::vector<std::int64_t> of_queries;
  std::vector<std::int64_t> of_keys;
  for (const std::int32_t column : layer.columns(head)) {
    of_queries.push_back(column);
    // Columns of keys count as if keys were repeated for every query head that shares them.
    of_keys.push_back(column / shape.head_dim / group * shape.head_dim + column % shape.head_dim);
  }
  columns_ = std::ssize(of_queries);
  queries_ = SideOf(source.content().queries, shape.heads * shape.head_dim, std::move(of_queries));
  keys_ = SideOf(source.content().keys, shape.kv_heads * shape.head_dim, std::move(of_keys));
}

HeadVectors::Side HeadVectors::SideOf(const std::vector<float>& values,
                                      std::int64_t stride,
                                      std::vector<std::int64_t> columns) {
  const auto apart = std::ranges::adjacent_find(
      columns, [](std::int64_t left, std::int64_t right) { return right != left + 1; });
  if (apart != columns.end()) {
    return {.values = values.data(), .stride = stride, .gathered = std::move(columns)};
  }
  return {.values = values.data() + columns.front(), .stride = stride};
}

VectorRows HeadVectors::RowsOf(const Side& side,
                               std::int64_t begin,
                               std::int64_t end,
                               std::vector<float>* room) {
  const float* const first = side.values + begin * side.stride;
  if (side.gathered.empty()) {
    return {.first = first, .stride = side.stride};
  }
  room->resize(static_cast<std::size_t>(end - begin) * side.gathered.size());
  float* to = room->data();
  for (std::int64_t row = 0; row < end - begin; ++row) {
    for (const std::int64_t column : side.gathered) {
      *to++ = first[row * side.stride + column];
    }
  }
  return {.first = room->data(), .stride = std::ssize(side.gathered)};
}

VectorRows HeadVectors::Queries(std::int64_t begin,
                                std::int64_t end,
                                std::vector<float>* room) const {
  return RowsOf(queries_, begin, end, room);
}

VectorRows HeadVectors::Keys(std::int64_t begin, std::int64_t end, std::vector<float>* room) const {
  return RowsOf(keys_, begin, end, room);
}

}  // namespace headscope
