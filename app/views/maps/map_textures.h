// The maps that are on screen as textures: uploaded when first shown, at most so much a frame,
// released when unused.
//
// Shapes   thumbnails [t, t]; whole maps [n, m]; tiles as in core/attention/map_tile.h.
// Threads  UI thread, with the context current.
// Cost     a look-up for what is there; one copy for what is not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "app/render/renderer.h"
#include "app/state/app_state.h"

namespace headscope {

class MapTextures {
 public:
  static constexpr std::int64_t kBytesAFrame = std::int64_t{1} << 20;

  explicit MapTextures(Renderer* renderer) : renderer_(renderer) {}
  ~MapTextures();
  MapTextures(const MapTextures&) = delete;
  MapTextures& operator=(const MapTextures&) = delete;

  void BeginFrame();
  // Whether something was put off to the next frame.
  [[nodiscard]] bool Behind() const { return behind_; }
  [[nodiscard]] std::int64_t uploaded_bytes() const { return frame_bytes_; }

  // 0 while it waits for its turn.
  [[nodiscard]] MapHandle Thumbnail(const MapView& map, Pooling pooling);
  [[nodiscard]] MapHandle Whole(const std::shared_ptr<const HeadMap>& map);
  // Where each row has a range of its own, weights are redone as positions along the colours, to be
  // drawn with ScaleOfRows: a tile alone does not hold the largest weight of its rows.
  [[nodiscard]] MapHandle Tile(const std::shared_ptr<const MapTile>& tile,
                               Pooling pooling,
                               const ColorScale& scale);
  // Numbers that are made for one place on screen, and again when `made_for`, such as its size,
  // changes; `owner` keeps what they are made of.
  [[nodiscard]] MapHandle Made(const std::shared_ptr<const void>& owner,
                               std::int64_t which,
                               std::int64_t made_for,
                               std::int64_t rows,
                               std::int64_t cols,
                               const std::function<std::vector<float>()>& make);
  // Numbers of whoever keeps them, told apart by `part`; they do not change.
  [[nodiscard]] MapHandle Values(const std::shared_ptr<const void>& owner,
                                 std::int64_t part,
                                 std::int64_t rows,
                                 std::int64_t cols,
                                 std::span<const float> values);
  [[nodiscard]] static ColorScale ScaleOfRows(const ColorScale& scale);

 private:
  using Key = std::tuple<const void*, std::int64_t, std::int64_t, int>;
  struct Entry {
    MapHandle handle = 0;
    std::shared_ptr<const void> owner;  // so that its address is not used again
    std::int64_t bytes = 0;
    std::int64_t last_frame = 0;
  };
  // What `make` gives is uploaded where nothing has that key yet.
  template <typename Make>
  MapHandle Get(const Key& key,
                const std::shared_ptr<const void>& owner,
                std::int64_t rows,
                std::int64_t cols,
                const Make& make);

  Renderer* renderer_;
  std::map<Key, Entry> entries_;
  std::int64_t frame_ = 0;
  std::int64_t frame_bytes_ = 0;
  std::int64_t held_bytes_ = 0;
  bool behind_ = false;
};

}  // namespace headscope
