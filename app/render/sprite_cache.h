// Keeps small maps as they were last drawn, for copying: a scrolling grid shades no pixel again.
//
// Units    pixels; only whole maps at whole pixels.
// Threads  UI thread, with the context current.
// Cost     4 MiB per sheet; the least recently used sheets are dropped first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/render/heatmap_painter.h"
#include "app/render/map_store.h"
#include "app/render/scene.h"

namespace headscope {

class SpriteCache {
 public:
  static constexpr int kSide = 1024;             // of a sheet: the size that OpenGL 3.3 guarantees
  static constexpr int kLargest = 256;           // of a sprite
  static constexpr std::size_t kMostSheets = 4;  // unless one frame needs more

  SpriteCache();
  ~SpriteCache();
  SpriteCache(const SpriteCache&) = delete;
  SpriteCache& operator=(const SpriteCache&) = delete;
  SpriteCache(SpriteCache&&) noexcept;
  SpriteCache& operator=(SpriteCache&&) noexcept;

  [[nodiscard]] static bool Takes(const MapPlacement& placement);

  // Copies the maps into `framebuffer`, clipped to the scissor box; maps that are not here yet are
  // drawn first. `surface` describes the framebuffer.
  void Draw(const std::vector<MapPlacement>& placements,
            const HeatmapPainter::Surface& surface,
            unsigned framebuffer,
            const MapStore& maps,
            HeatmapPainter& painter);

 private:
  struct Sheet;
  struct Sprite;
  struct Copy;
  [[nodiscard]] Copy Find(const Sprite& wanted) const;
  [[nodiscard]] Copy Reserve(const Sprite& wanted);

  std::vector<std::unique_ptr<Sheet>> sheets_;
  std::int64_t frame_ = 0;
};

}  // namespace headscope
