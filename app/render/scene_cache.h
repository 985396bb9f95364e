// Keeps the last scene as a picture and redraws only what changed.
//
// Units    window pixels; row 0 of the picture is the top of the window.
// Errors   kGl: an incomplete framebuffer.
// Threads  UI thread, with the context current.
// Cost     an unchanged scene is one blit.
#pragma once

#include <optional>
#include <vector>

#include "app/gl/canvas.h"
#include "app/render/heatmap_painter.h"
#include "app/render/map_store.h"
#include "app/render/row_scaled.h"
#include "app/render/scene.h"
#include "app/render/sprite_cache.h"
#include "app/render/stroke_painter.h"
#include "core/base/error.h"

namespace headscope {

class SceneCache {
 public:
  [[nodiscard]] static Result<SceneCache> Create();

  // Brings the picture up to date and returns how many regions were drawn.
  int Update(const Scene& scene, int width, int height, MapStore& maps);
  // See Renderer::Prepare; a map of four cells is left in `maps`.
  void DrawEveryKindOnce(MapStore& maps);
  void Blit() const;  // to the window's framebuffer
  void Forget(MapHandle map, MapStore& maps) { row_scaled_.Forget(map, maps); }

 private:
  SceneCache(HeatmapPainter painter, StrokePainter strokes);
  void Draw(const SceneRegion& region, Theme theme, MapStore& maps);
  void DrawStrokes(const SceneRegion& region);
  void DrawMaps(const SceneRegion& region,
                const std::vector<MapPlacement>& placements,
                Theme theme,
                MapStore& maps);

  HeatmapPainter painter_;
  StrokePainter strokes_;
  SpriteCache sprites_;
  RowScaledMaps row_scaled_;
  gl::Canvas picture_;
  std::optional<Scene> last_;
};

}  // namespace headscope
