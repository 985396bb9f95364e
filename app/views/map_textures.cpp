#include "app/views/map_textures.h"

#include <algorithm>
#include <vector>

#include "core/figure/pool.h"

namespace headscope {
namespace {

constexpr std::int64_t kKeptFrames = 300;                     // unused for so long: released
constexpr std::int64_t kKeptBytes = std::int64_t{256} << 20;  // more than this: sooner

enum Kind : int { kMean = 0, kMax = 1, kWhole = 2, kCount = 3, kCountWhole = 4, kTile = 5 };

}  // namespace

MapTextures::~MapTextures() {
  for (const auto& [key, entry] : entries_) {
    renderer_->Release(entry.handle);
  }
}

void MapTextures::BeginFrame() {
  ++frame_;
  frame_bytes_ = 0;
  behind_ = false;
  const std::int64_t kept = held_bytes_ > kKeptBytes ? 1 : kKeptFrames;
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (frame_ - it->second.last_frame > kept) {
      held_bytes_ -= it->second.bytes;
      renderer_->Release(it->second.handle);
      it = entries_.erase(it);
    } else {
      ++it;
    }
  }
}

MapTextures::Entry* MapTextures::Find(const Key& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return nullptr;
  }
  found->second.last_frame = frame_;
  return &found->second;
}

// The first of a frame always goes, however large.
bool MapTextures::MayUpload(std::int64_t cells) {
  const auto bytes = cells * static_cast<std::int64_t>(sizeof(float));
  if (frame_bytes_ > 0 && frame_bytes_ + bytes > kBytesAFrame) {
    behind_ = true;
    return false;
  }
  return true;
}

MapHandle MapTextures::Add(const Key& key,
                           std::shared_ptr<const void> owner,
                           std::int64_t rows,
                           std::int64_t cols,
                           std::span<const float> values) {
  const auto bytes = static_cast<std::int64_t>(values.size_bytes());
  frame_bytes_ += bytes;
  held_bytes_ += bytes;
  const MapHandle handle = renderer_->Upload(rows, cols, values);
  entries_[key] = {handle, std::move(owner), bytes, frame_};
  return handle;
}

MapHandle MapTextures::Thumbnail(const std::shared_ptr<const LayerAttention>& layer,
                                 std::int64_t head,
                                 Pooling pooling) {
  const headscope::Thumbnail& thumbnail = layer->thumbnail(head);
  const bool largest = pooling == Pooling::kMax && thumbnail.pooled;
  const Key key{layer.get(), head, 0, largest ? kMax : kMean};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  if (!MayUpload(thumbnail.rows * thumbnail.cols)) {
    return 0;
  }
  return Add(key, layer, thumbnail.rows, thumbnail.cols, largest ? thumbnail.max : thumbnail.mean);
}

MapHandle MapTextures::Whole(const std::shared_ptr<const HeadMap>& map) {
  const Key key{map.get(), 0, 0, kWhole};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  if (!MayUpload(map->queries * map->keys)) {
    return 0;
  }
  return Add(key, map, map->queries, map->keys, map->weights);
}

MapHandle MapTextures::Tile(const std::shared_ptr<const MapTile>& tile,
                            Pooling pooling,
                            const ColorScale& scale) {
  const bool largest = pooling == Pooling::kMax && !tile->max.empty();
  const bool by_row = scale.range == RangeMode::kRow;
  const Key key{
      tile.get(), largest ? 1 : 0, by_row ? static_cast<std::int64_t>(scale.curve) : -1, kTile};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  if (!MayUpload(tile->rows * tile->cols)) {
    return 0;
  }
  const std::vector<float>& weights = largest ? tile->max : tile->mean;
  if (!by_row) {
    return Add(key, tile, tile->rows, tile->cols, weights);
  }
  std::vector<float> positions = weights;
  const auto cols = static_cast<std::size_t>(tile->cols);
  for (std::size_t row = 0; row < tile->row_largest.size(); ++row) {
    const ColorScale own = ScaleOfRow(scale, std::span(tile->row_largest).subspan(row, 1));
    for (float& weight : std::span(positions).subspan(row * cols, cols)) {
      weight = weight >= 0.0F ? Position(own, weight) : weight;
    }
  }
  return Add(key, tile, tile->rows, tile->cols, positions);
}

ColorScale MapTextures::ScaleOfRows(const ColorScale& scale) {
  ColorScale positions = scale;
  positions.curve = Curve::kLinear;
  positions.range = RangeMode::kFixed;
  positions.low = 0.0F;
  positions.high = 1.0F;
  return positions;
}

MapHandle MapTextures::OfCount(const std::shared_ptr<const SplitResult>& split,
                               const LayerAttention& source,
                               std::size_t count,
                               std::int64_t head,
                               bool whole) {
  const std::int64_t rows = source.shape().queries;
  const std::int64_t cols = source.shape().keys;
  const std::int64_t longest = std::max(rows, cols);
  const std::int64_t by = whole ? 1 : (longest + kCountCells - 1) / kCountCells;
  const Key key{
      split.get(), static_cast<std::int64_t>(count), head, by == 1 ? kCountWhole : kCount};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  if (!MayUpload(rows * cols)) {
    return 0;
  }
  const auto cells = static_cast<std::size_t>(rows * cols);
  const std::span<const float> maps = split->counts[count].maps;
  if (maps.size() < (static_cast<std::size_t>(head) + 1) * cells) {
    return 0;
  }
  const auto first =
      maps.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(head) * cells);
  std::vector<float> values(first, first + static_cast<std::ptrdiff_t>(cells));
  for (std::int64_t query = 0; query < rows; ++query) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(query * cols);
    const std::int64_t from = std::min(source.rule().FirstVisible(query), cols);
    const std::int64_t to = source.rule().LastVisible(query, cols);
    std::fill(row, row + static_cast<std::ptrdiff_t>(from), kMasked);
    std::fill(
        row + static_cast<std::ptrdiff_t>(to), row + static_cast<std::ptrdiff_t>(cols), kMasked);
  }
  if (by == 1) {
    return Add(key, split, rows, cols, values);
  }
  const std::vector<float> pooled =
      PoolMap(values, rows, cols, (rows + by - 1) / by, (cols + by - 1) / by, Pool::kLargest);
  return Add(key, split, (rows + by - 1) / by, (cols + by - 1) / by, pooled);
}

}  // namespace headscope
