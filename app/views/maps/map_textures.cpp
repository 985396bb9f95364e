#include "app/views/maps/map_textures.h"

#include <algorithm>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {
namespace {

constexpr std::int64_t kKeptFrames = 300;                     // unused for so long: released
constexpr std::int64_t kKeptBytes = std::int64_t{256} << 20;  // more than this: sooner

enum Kind : int { kMean = 0, kMax = 1, kWhole = 2, kTile = 3, kCells = 4, kMade = 5, kValues = 6 };

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

MapHandle MapTextures::Thumbnail(const MapView& map, Pooling pooling) {
  const headscope::Thumbnail& thumbnail = map.thumbnail();
  const bool largest = pooling == Pooling::kMax && thumbnail.pooled;
  const Key key{map.layer.get(), map.head, 0, largest ? kMax : kMean};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  if (!MayUpload(thumbnail.rows * thumbnail.cols)) {
    return 0;
  }
  const std::vector<float>& cells = largest ? thumbnail.max : thumbnail.mean;
  return Add(key, map.layer, thumbnail.rows, thumbnail.cols, cells);
}

MapHandle MapTextures::Whole(const std::shared_ptr<const HeadMap>& map) {
  const Key key{map.get(), 0, 0, kWhole};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  const std::int64_t queries = map->of.queries();
  const std::int64_t keys = map->of.keys();
  return MayUpload(queries * keys) ? Add(key, map, queries, keys, map->weights) : 0;
}

MapHandle MapTextures::Cells(const std::shared_ptr<const DrawnCells>& cells) {
  const Key key{cells.get(), 0, 0, kCells};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  return MayUpload(cells->rows * cells->cols)
             ? Add(key, cells, cells->rows, cells->cols, cells->values)
             : 0;
}

MapHandle MapTextures::Made(const std::shared_ptr<const void>& owner,
                            std::int64_t which,
                            std::int64_t made_for,
                            std::int64_t rows,
                            std::int64_t cols,
                            const std::function<std::vector<float>()>& make) {
  const Key key{owner.get(), which, made_for, kMade};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  return MayUpload(rows * cols) ? Add(key, owner, rows, cols, make()) : 0;
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

MapHandle MapTextures::Values(const std::shared_ptr<const void>& owner,
                              std::int64_t part,
                              std::int64_t rows,
                              std::int64_t cols,
                              std::span<const float> values) {
  const Key key{owner.get(), part, 0, kValues};
  if (const Entry* entry = Find(key)) {
    return entry->handle;
  }
  return MayUpload(rows * cols) ? Add(key, owner, rows, cols, values) : 0;
}

ColorScale MapTextures::ScaleOfRows(const ColorScale& scale) {
  ColorScale positions = scale;
  positions.curve = Curve::kLinear;
  positions.range = RangeMode::kFixed;
  positions.low = 0.0F;
  positions.high = 1.0F;
  return positions;
}

}  // namespace headscope
