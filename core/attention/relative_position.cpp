#include "core/attention/relative_position.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope {

bool RelativeAttention::sees_ahead() const {
  return std::any_of(
      rows.begin() + kFurthest + 1, rows.end(), [](std::int64_t count) { return count > 0; });
}

namespace {

void AddRow(std::int64_t query,
            std::int64_t shift,
            std::span<const float> weights,
            RelativeAttention* shares) {
  for (std::size_t i = 0; i < RelativeAttention::kCount; ++i) {
    const std::int64_t key =
        query - shift + static_cast<std::int64_t>(i) - RelativeAttention::kFurthest;
    if (key < 0 || key >= std::ssize(weights)) {
      continue;
    }
    const float weight = weights[static_cast<std::size_t>(key)];
    if (weight >= 0.0F) {  // else masked
      shares->mean[i] += static_cast<double>(weight);
      ++shares->rows[i];
    }
  }
}

void DivideByRows(RelativeAttention* shares) {
  for (std::size_t i = 0; i < RelativeAttention::kCount; ++i) {
    shares->mean[i] /= shares->rows[i] > 0 ? static_cast<double>(shares->rows[i]) : 1.0;
  }
}

}  // namespace

RelativeAttention AttentionByDistance(const Thumbnail& map, std::int64_t shift) {
  RelativeAttention shares;
  for (std::int64_t query = shift; query < map.rows; ++query) {
    AddRow(query,
           shift,
           std::span(map.mean).subspan(static_cast<std::size_t>(query * map.cols),
                                       static_cast<std::size_t>(map.cols)),
           &shares);
  }
  DivideByRows(&shares);
  return shares;
}

RelativeAttention AttentionByDistance(const MapView& view, std::int64_t shift) {
  constexpr std::int64_t kRowsAtOnce = 64;
  const auto keys = static_cast<std::size_t>(view.keys());
  RelativeAttention shares;
  std::vector<float> block;
  for (std::int64_t first = shift; first < view.queries(); first += kRowsAtOnce) {
    const std::int64_t end = std::min(first + kRowsAtOnce, view.queries());
    block.resize(static_cast<std::size_t>(end - first) * keys);
    view.DrawableRows(first, end, block);
    for (std::int64_t query = first; query < end; ++query) {
      AddRow(query,
             shift,
             std::span(block).subspan(static_cast<std::size_t>(query - first) * keys, keys),
             &shares);
    }
  }
  DivideByRows(&shares);
  return shares;
}

RowEntropies EntropyByRow(const Thumbnail& map) {
  RowEntropies rows;
  for (std::int64_t query = 0; query < map.rows; ++query) {
    double nats = 0.0;
    std::int64_t keys = 0;
    for (std::int64_t key = 0; key < map.cols; ++key) {
      const auto weight =
          static_cast<double>(map.mean[static_cast<std::size_t>(query * map.cols + key)]);
      keys += weight >= 0.0 ? 1 : 0;  // else masked
      nats -= weight > 0.0 ? weight * std::log(weight) : 0.0;
    }
    rows.nats.push_back(nats);
    rows.most.push_back(keys > 0 ? std::log(static_cast<double>(keys)) : 0.0);
  }
  return rows;
}

}  // namespace headscope
