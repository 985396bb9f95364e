#include "app/views/maps/map_textures.h"

#include <algorithm>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {
namespace {

constexpr std::int64_t kKeptFrames = 300;                     // unused for so long: released
constexpr std::int64_t kKeptBytes = std::int64_t{256} << 20;  // more than this: sooner

enum Kind : int { kMean, kMax, kTile, kMade, kValues };

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

template <typename Make>
MapHandle MapTextures::Get(const Key& key,
                           const std::shared_ptr<const void>& owner,
                           std::int64_t rows,
                           std::int64_t cols,
                           const Make& make) {
  if (const auto found = entries_.find(key); found != entries_.end()) {
    found->second.last_frame = frame_;
    return found->second.handle;
  }
  // The first of a frame always goes, however large.
  const auto bytes = rows * cols * static_cast<std::int64_t>(sizeof(float));
  if (frame_bytes_ > 0 && frame_bytes_ + bytes > kBytesAFrame) {
    behind_ = true;
    return 0;
  }
  frame_bytes_ += bytes;
  held_bytes_ += bytes;
  const MapHandle handle = renderer_->Upload(rows, cols, make());
  entries_[key] = {handle, owner, bytes, frame_};
  return handle;
}

MapHandle MapTextures::Thumbnail(const MapView& map, Pooling pooling) {
  const headscope::Thumbnail& thumbnail = map.thumbnail();
  const bool largest = pooling == Pooling::kMax && thumbnail.pooled;
  const Key key{map.layer.get(), map.head, 0, largest ? kMax : kMean};
  return Get(key, map.layer, thumbnail.rows, thumbnail.cols, [&] {
    return std::span<const float>(largest ? thumbnail.max : thumbnail.mean);
  });
}

MapHandle MapTextures::Whole(const std::shared_ptr<const HeadMap>& map) {
  return Values(map, 0, map->of.queries(), map->of.keys(), map->weights);
}

MapHandle MapTextures::Made(const std::shared_ptr<const void>& owner,
                            std::int64_t which,
                            std::int64_t made_for,
                            std::int64_t rows,
                            std::int64_t cols,
                            const std::function<std::vector<float>()>& make) {
  return Get({owner.get(), which, made_for, kMade}, owner, rows, cols, make);
}

MapHandle MapTextures::Tile(const std::shared_ptr<const MapTile>& tile,
                            Pooling pooling,
                            const ColorScale& scale) {
  const bool largest = pooling == Pooling::kMax && !tile->max.empty();
  const bool by_row = scale.range == RangeMode::kRow;
  const Key key{
      tile.get(), largest ? 1 : 0, by_row ? static_cast<std::int64_t>(scale.curve) : -1, kTile};
  return Get(key, tile, tile->rows, tile->cols, [&] {
    std::vector<float> weights = largest ? tile->max : tile->mean;
    const auto cols = static_cast<std::size_t>(tile->cols);
    for (std::size_t row = 0; by_row && row < tile->row_largest.size(); ++row) {
      const ColorScale own = ScaleOfRow(scale, std::span(tile->row_largest).subspan(row, 1));
      for (float& weight : std::span(weights).subspan(row * cols, cols)) {
        weight = weight >= 0.0F ? Position(own, weight) : weight;
      }
    }
    return weights;
  });
}

MapHandle MapTextures::Values(const std::shared_ptr<const void>& owner,
                              std::int64_t part,
                              std::int64_t rows,
                              std::int64_t cols,
                              std::span<const float> values) {
  return Get({owner.get(), part, 0, kValues}, owner, rows, cols, [values] { return values; });
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
