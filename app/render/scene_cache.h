// The last scene as a picture; only what changed is drawn again.
//
// Units    window pixels; row 0 of the picture is the top of the window.
// Errors   kGl: a framebuffer that is not complete.
// Threads  UI thread, with the context current.
// Cost     an unchanged scene is one blit.
#pragma once

#include <optional>
#include <unordered_map>

#include "app/gl/objects.h"
#include "app/render/heatmap_painter.h"
#include "app/render/map_store.h"
#include "app/render/scene.h"
#include "core/base/error.h"

namespace headscope {

class SceneCache {
 public:
  [[nodiscard]] static Result<SceneCache> Create();

  // Brings the picture up to date and returns how many regions were drawn.
  int Update(const Scene& scene, int width, int height, MapStore& maps);
  void Blit() const;  // to the window's framebuffer
  void Forget(MapHandle map, MapStore& maps);

 private:
  explicit SceneCache(HeatmapPainter painter);
  bool Resize(int width, int height);  // binds the picture; whether it is a new one
  void Draw(const SceneRegion& region, Theme theme, MapStore& maps);
  void DrawMaps(const SceneRegion& region,
                const std::vector<MapPlacement>& placements,
                Theme theme,
                MapStore& maps);
  void DrawMap(const MapPlacement& placement, MapStore& maps);

  // A map whose rows are each scaled to their own largest weight: positions along the colour map.
  struct RowScaled {
    Curve curve = Curve::kLinear;
    MapHandle map = 0;
  };

  HeatmapPainter painter_;
  gl::Texture picture_;
  gl::Framebuffer framebuffer_;
  int width_ = 0;
  int height_ = 0;
  std::optional<Scene> last_;
  std::unordered_map<MapHandle, RowScaled> row_scaled_;
};

}  // namespace headscope
