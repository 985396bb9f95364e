#include "app/render/scene_cache.h"

#include <algorithm>
#include <cmath>
#include <span>
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

Box Pixels(const Rect& rect) {
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

// The maps that took another's place, if nothing else changed and none lies over another.
std::optional<std::vector<MapPlacement>> ReplacedMaps(const SceneRegion& now,
                                                      const SceneRegion& before) {
  if (now.background != before.background || now.fills != before.fills ||
      now.maps.size() != before.maps.size()) {
    return std::nullopt;
  }
  std::vector<MapPlacement> replaced;
  for (std::size_t index = 0; index < now.maps.size(); ++index) {
    const MapPlacement& placement = now.maps[index];
    if (placement == before.maps[index]) {
      continue;
    }
    // A map drawn in part, or one that is no more, does not cover what lay there.
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

SceneCache::SceneCache(HeatmapPainter painter) : painter_(std::move(painter)) {}

Result<SceneCache> SceneCache::Create() {
  Result<HeatmapPainter> painter = HeatmapPainter::Create();
  if (!painter) {
    return PassOn(std::move(painter.error()));
  }
  SceneCache cache(std::move(*painter));
  cache.Resize(16, 16);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return Fail(
        ErrorCode::kGl,
        "the graphics driver does not draw into textures of 8 bits a channel; update it, or "
        "set LIBGL_ALWAYS_SOFTWARE=1 to draw in software");
  }
  return cache;
}

bool SceneCache::Resize(int width, int height) {
  if (width == width_ && height == height_) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    return false;
  }
  width_ = width;
  height_ = height;
  picture_ = gl::Texture::Create();
  framebuffer_ = gl::Framebuffer::Create();
  glBindTexture(GL_TEXTURE_2D, picture_.id());
  // The window's own order of bytes: then the blit is a plain copy.
  glTexImage2D(
      GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_.id(), 0);
  return true;
}

int SceneCache::Update(const Scene& scene, int width, int height, MapStore& maps) {
  glActiveTexture(GL_TEXTURE0);
  const bool is_new = Resize(std::max(width, 1), std::max(height, 1));
  const bool all = is_new || !last_ || last_->theme != scene.theme || !HaveSameRects(*last_, scene);
  glDisable(GL_BLEND);
  glDisable(GL_CULL_FACE);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_FRAMEBUFFER_SRGB);
  glDisable(GL_DITHER);
  glEnable(GL_SCISSOR_TEST);
  glViewport(0, 0, width_, height_);
  if (all) {
    Fill({0, 0, width_, height_}, scene.regions.empty() ? Rgb{} : scene.regions.front().background);
  }
  int drawn = 0;
  for (std::size_t index = 0; index < scene.regions.size(); ++index) {
    const SceneRegion& region = scene.regions[index];
    if (all) {
      Draw(region, scene.theme, maps);
    } else if (region == last_->regions[index]) {
      continue;
    } else if (const auto replaced = ReplacedMaps(region, last_->regions[index])) {
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
  const Box clip = Pixels(region.rect);
  Fill(clip, region.background);
  for (const FilledRect& fill : region.fills) {
    Fill(Intersect(clip, Pixels(fill.rect)), fill.color);
  }
  DrawMaps(region, region.maps, theme, maps);
}

void SceneCache::DrawMaps(const SceneRegion& region,
                          const std::vector<MapPlacement>& placements,
                          Theme theme,
                          MapStore& maps) {
  if (!SetScissor(Intersect(Pixels(region.rect), {0, 0, width_, height_}))) {
    return;
  }
  painter_.Begin({width_, height_, theme, region.background});
  for (const MapPlacement& placement : placements) {
    if (Overlap(placement.target, region.rect)) {
      DrawMap(placement, maps);
    }
  }
  painter_.Flush();
}

void SceneCache::DrawMap(const MapPlacement& placement, MapStore& maps) {
  const MapStore::Map* map = maps.Find(placement.map);
  if (map == nullptr) {
    return;
  }
  if (placement.scale.range != RangeMode::kRow) {
    painter_.Add(*map, placement);
    return;
  }
  // Rows with ranges of their own: draw their positions along the colour map, worked out once.
  RowScaled& scaled = row_scaled_[placement.map];
  if (scaled.map == 0 || scaled.curve != placement.scale.curve) {
    painter_.Flush();
    maps.Remove(scaled.map);
    std::vector<float> values = maps.Read(*map);
    const auto cols = static_cast<std::size_t>(map->cols);
    for (std::size_t start = 0; start < values.size(); start += cols) {
      const std::span<float> row = std::span(values).subspan(start, cols);
      const ColorScale own = ScaleOfRow(placement.scale, row);
      for (float& value : row) {
        value = value >= 0.0F ? Position(own, value) : value;
      }
    }
    scaled = {placement.scale.curve, maps.Add(map->rows, map->cols, values)};
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
  }
  MapPlacement position = placement;
  position.scale.curve = Curve::kLinear;
  position.scale.range = RangeMode::kFixed;
  position.scale.low = 0.0F;
  position.scale.high = 1.0F;
  painter_.Add(*maps.Find(scaled.map), position);
}

void SceneCache::Blit() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.id());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  // The picture's first row is the window's top.
  glBlitFramebuffer(0, height_, width_, 0, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width_, height_);
}

void SceneCache::Forget(MapHandle map, MapStore& maps) {
  const auto found = row_scaled_.find(map);
  if (found != row_scaled_.end()) {
    maps.Remove(found->second.map);
    row_scaled_.erase(found);
  }
}

}  // namespace headscope
