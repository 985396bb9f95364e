// Small maps as they were drawn last, to be copied: a grid that scrolls shades no pixel again.
//
// Units    pixels; only whole maps at whole pixels.
// Threads  UI thread, with the context current.
// Cost     4 MiB a sheet; sheets that were not used for longest go first.
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
  static constexpr int kSide = 1024;             // of a sheet: all that OpenGL 3.3 promises
  static constexpr int kLargest = 256;           // of a sprite
  static constexpr std::size_t kMostSheets = 4;  // unless one frame needs more

  SpriteCache();
  ~SpriteCache();
  SpriteCache(const SpriteCache&) = delete;
  SpriteCache& operator=(const SpriteCache&) = delete;
  SpriteCache(SpriteCache&&) noexcept;
  SpriteCache& operator=(SpriteCache&&) noexcept;

  [[nodiscard]] static bool Takes(const MapPlacement& placement);

  // Copies the maps into `framebuffer`, clipped to the scissor's box; draws those first that are
  // not here yet. `surface` is the framebuffer's.
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
