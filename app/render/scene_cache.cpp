#include "app/render/scene_cache.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <epoxy/gl.h>

namespace headscope {
namespace {

// Whole pixels [left, right) x [top, bottom).
struct Box {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

Box WindowBox(const Rect& rect) {
  const auto edge = [](float at) {
    return static_cast<int>(std::lround(std::clamp(at, -1e6F, 1e6F)));
  };
  return {edge(rect.x), edge(rect.y), edge(rect.x + rect.width), edge(rect.y + rect.height)};
}

Box Intersect(const Box& a, const Box& b) {
  return {std::max(a.left, b.left),
          std::max(a.top, b.top),
          std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

bool SetScissor(const Box& box) {
  if (box.left >= box.right || box.top >= box.bottom) {
    return false;
  }
  glScissor(box.left, box.top, box.right - box.left, box.bottom - box.top);
  return true;
}

void Fill(const Box& box, Rgb color) {
  if (SetScissor(box)) {
    glClearColor(static_cast<float>(color.r) / 255.0F,
                 static_cast<float>(color.g) / 255.0F,
                 static_cast<float>(color.b) / 255.0F,
                 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
  }
}

bool Overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool HaveSameRects(const Scene& a, const Scene& b) {
  return std::equal(a.regions.begin(),
                    a.regions.end(),
                    b.regions.begin(),
                    b.regions.end(),
                    [](const SceneRegion& x, const SceneRegion& y) { return x.rect == y.rect; });
}

// Returns the maps that replaced others, if nothing else changed and no maps overlap.
std::optional<std::vector<MapPlacement>> ReplacedMaps(const SceneRegion& now,
                                                      const SceneRegion& before) {
  if (now.background != before.background || now.fills != before.fills ||
      now.maps_clip != before.maps_clip || now.maps.size() != before.maps.size() ||
      now.strokes != nullptr || before.strokes != nullptr) {
    return std::nullopt;
  }
  std::vector<MapPlacement> replaced;
  for (std::size_t index = 0; index < now.maps.size(); ++index) {
    const MapPlacement& placement = now.maps[index];
    if (placement == before.maps[index]) {
      continue;
    }
    // A map that is drawn in part or was removed does not cover what was there.
    if (placement.target != before.maps[index].target || placement.map == 0 ||
        placement.source != Rect{}) {
      return std::nullopt;
    }
    for (std::size_t other = 0; other < now.maps.size(); ++other) {
      if (other != index && Overlap(now.maps[other].target, placement.target)) {
        return std::nullopt;
      }
    }
    replaced.push_back(placement);
  }
  return replaced;
}

}  // namespace

SceneCache::SceneCache(HeatmapPainter painter, StrokePainter strokes)
    : painter_(std::move(painter)), strokes_(std::move(strokes)) {}

Result<SceneCache> SceneCache::Create() {
  HEADSCOPE_TRY(auto painter, HeatmapPainter::Create());
  HEADSCOPE_TRY(auto strokes, StrokePainter::Create());
  SceneCache cache(std::move(painter), std::move(strokes));
  if (!gl::Canvas(16, 16).IsComplete()) {
    return Fail(
        ErrorCode::kGl,
        "the graphics driver does not draw into textures of 8 bits a channel; update it, or "
        "set LIBGL_ALWAYS_SOFTWARE=1 to draw in software");
  }
  return cache;
}

void SceneCache::DrawEveryKindOnce(MapStore& maps) {
  constexpr int kSide = 16;
  constexpr std::array<float, 4> kCells = {0.1F, 0.2F, 0.3F, 0.4F};
  const MapHandle map = maps.Add(2, 2, kCells);  // stays, and so does the texture that it is in
  const Rect all{0.0F, 0.0F, kSide, kSide};
  SceneRegion region;
  region.rect = all;
  region.strokes_clip = all;
  MapPlacement placement;
  placement.map = map;
  placement.target = {8.0F, 8.0F, 4.0F, 4.0F};
  region.maps.push_back(placement);  // as a sprite
  placement.source = {0.0F, 0.0F, 2.0F, 2.0F};
  for (const Curve curve : {Curve::kLinear, Curve::kSqrt, Curve::kLog}) {
    for (const float size : {1.0F, 4.0F}) {  // pixels that cover several cells, and a part of one
      placement.target = {0.0F, 0.0F, size, size};
      placement.scale.curve = curve;
      region.maps.push_back(placement);
    }
  }
  Stroke stroke;
  stroke.x1 = kSide;
  stroke.y1 = kSide;
  region.strokes = std::make_shared<const std::vector<Stroke>>(1, stroke);
  Scene scene;
  scene.regions.push_back(std::move(region));
  Update(scene, kSide, kSide, maps);
  last_.reset();
}

int SceneCache::Update(const Scene& scene, int width, int height, MapStore& maps) {
  glActiveTexture(GL_TEXTURE0);
  width = std::max(width, 1);
  height = std::max(height, 1);
  const bool is_new = width != picture_.width() || height != picture_.height();
  if (is_new) {
    picture_ = gl::Canvas(width, height);
  }
  const bool all = is_new || !last_ || last_->theme != scene.theme || !HaveSameRects(*last_, scene);
  picture_.Bind();
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_FRAMEBUFFER_SRGB);
  glDisable(GL_DITHER);
  glEnable(GL_SCISSOR_TEST);
  if (all) {
    Fill({0, 0, picture_.width(), picture_.height()},
         scene.regions.empty() ? Rgb{} : scene.regions.front().background);
  }
  int drawn = 0;
  for (std::size_t index = 0; index < scene.regions.size(); ++index) {
    const SceneRegion& region = scene.regions[index];
    if (!all && region == last_->regions[index]) {
      continue;
    }
    const auto replaced = all ? std::nullopt : ReplacedMaps(region, last_->regions[index]);
    if (replaced) {
      DrawMaps(region, *replaced, scene.theme, maps);
    } else {
      Draw(region, scene.theme, maps);
    }
    ++drawn;
  }
  glDisable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (all || drawn > 0) {
    last_ = scene;
  }
  return drawn;
}

void SceneCache::Draw(const SceneRegion& region, Theme theme, MapStore& maps) {
  const Box clip = WindowBox(region.rect);
  Fill(clip, region.background);
  for (const FilledRect& fill : region.fills) {
    Fill(Intersect(clip, WindowBox(fill.rect)), fill.color);
  }
  DrawMaps(region, region.maps, theme, maps);
  DrawStrokes(region);
}

void SceneCache::DrawStrokes(const SceneRegion& region) {
  const Box window = {0, 0, picture_.width(), picture_.height()};
  if (region.strokes != nullptr &&
      SetScissor(
          Intersect(Intersect(WindowBox(region.rect), WindowBox(region.strokes_clip)), window))) {
    strokes_.Draw(*region.strokes, region.strokes_clip, picture_.width(), picture_.height());
  }
}

void SceneCache::DrawMaps(const SceneRegion& region,
                          const std::vector<MapPlacement>& placements,
                          Theme theme,
                          MapStore& maps) {
  const Box window = {0, 0, picture_.width(), picture_.height()};
  const Rect& clip = region.maps_clip == Rect{} ? region.rect : region.maps_clip;
  if (!SetScissor(Intersect(Intersect(WindowBox(region.rect), WindowBox(clip)), window))) {
    return;
  }
  const HeatmapPainter::Surface surface{
      picture_.width(), picture_.height(), theme, region.background};
  std::vector<MapPlacement> small;
  painter_.Begin(surface);
  for (MapPlacement placement : placements) {
    if (!Overlap(placement.target, clip)) {
      continue;
    }
    row_scaled_.Apply(&placement, maps);
    if (SpriteCache::Takes(placement)) {
      small.push_back(placement);
    } else if (const MapStore::Map* const map = maps.Find(placement.map)) {
      painter_.Add(*map, placement);
    }
  }
  painter_.Flush();
  sprites_.Draw(small, surface, picture_.framebuffer(), maps, painter_);
}

void SceneCache::Blit() const {
  const int width = picture_.width();
  const int height = picture_.height();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, picture_.framebuffer());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  // The picture's first row is the window's top.
  glBlitFramebuffer(0, height, width, 0, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width, height);
}

}  // namespace headscope
