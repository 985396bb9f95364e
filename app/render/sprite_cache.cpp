#include "app/render/sprite_cache.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include <epoxy/gl.h>

#include "app/gl/canvas.h"
#include "app/render/shelf_packer.h"
#include "core/base/check.h"

namespace headscope {

// Everything that a sprite's pixels depend on.
struct SpriteCache::Sprite {
  MapHandle map = 0;
  int width = 0;
  int height = 0;
  PaletteKey colors;
  friend bool operator==(const Sprite&, const Sprite&) = default;
};

struct SpriteCache::Sheet {
  gl::Canvas canvas{kSide, kSide};
  ShelfPacker packer{kSide, 0};
  std::int64_t used = 0;  // frame of the last use
  std::unordered_multimap<MapHandle, std::pair<Sprite, ShelfPacker::Place>> sprites;
};

struct SpriteCache::Copy {
  Sheet* sheet = nullptr;
  ShelfPacker::Place place;
};

SpriteCache::SpriteCache() = default;
SpriteCache::~SpriteCache() = default;
SpriteCache::SpriteCache(SpriteCache&&) noexcept = default;
SpriteCache& SpriteCache::operator=(SpriteCache&&) noexcept = default;

bool SpriteCache::Takes(const MapPlacement& placement) {
  const Rect& target = placement.target;
  const auto is_whole = [](float value) {
    return std::abs(value) < 1e6F && std::floor(value) == value;
  };
  return placement.source == Rect{} && target.width >= 1.0F && target.height >= 1.0F &&
         target.width <= float{kLargest} && target.height <= float{kLargest} &&
         is_whole(target.x) && is_whole(target.y) && is_whole(target.width) &&
         is_whole(target.height);
}

SpriteCache::Copy SpriteCache::Find(const Sprite& wanted) const {
  for (const auto& sheet : sheets_) {
    const auto [first, last] = sheet->sprites.equal_range(wanted.map);
    for (auto entry = first; entry != last; ++entry) {
      if (entry->second.first == wanted) {
        return {sheet.get(), entry->second.second};
      }
    }
  }
  return {};
}

SpriteCache::Copy SpriteCache::Reserve(const Sprite& wanted) {
  ShelfPacker::Place place;
  if (sheets_.empty() || !sheets_.back()->packer.Reserve(wanted.width, wanted.height, &place)) {
    const auto oldest =
        std::min_element(sheets_.begin(), sheets_.end(), [](const auto& a, const auto& b) {
          return a->used < b->used;
        });
    if (sheets_.size() >= kMostSheets && (*oldest)->used < frame_) {
      sheets_.erase(oldest);
    }
    sheets_.push_back(std::make_unique<Sheet>());
    static_cast<void>(sheets_.back()->packer.Reserve(wanted.width, wanted.height, &place));
  }
  Sheet* const sheet = sheets_.back().get();
  sheet->sprites.emplace(wanted.map, std::pair(wanted, place));
  return {sheet, place};
}

void SpriteCache::Draw(const std::vector<MapPlacement>& placements,
                       const HeatmapPainter::Surface& surface,
                       unsigned framebuffer,
                       const MapStore& maps,
                       HeatmapPainter& painter) {
  ++frame_;
  std::vector<Copy> copies;
  const Sheet* drawing = nullptr;
  const auto flush = [&] {
    if (drawing != nullptr) {
      drawing->canvas.Bind();  // a new sheet binds itself
      painter.Flush();
    }
  };
  glDisable(GL_SCISSOR_TEST);
  for (const MapPlacement& placement : placements) {
    const MapStore::Map* const map = maps.Find(placement.map);
    if (map == nullptr) {
      copies.emplace_back();
      continue;
    }
    const Sprite sprite{placement.map,
                        static_cast<int>(placement.target.width),
                        static_cast<int>(placement.target.height),
                        surface.ColorsOf(placement)};
    Copy copy = Find(sprite);
    if (copy.sheet == nullptr) {
      copy = Reserve(sprite);
      HEADSCOPE_CHECK(copy.sheet != nullptr, "there is always a sheet to draw on");
      if (copy.sheet != drawing) {
        flush();
        copy.sheet->canvas.Bind();
        painter.Begin({kSide, kSide, surface.theme, surface.background});
        drawing = copy.sheet;
      }
      MapPlacement in_sheet = placement;
      in_sheet.target.x = static_cast<float>(copy.place.x);
      in_sheet.target.y = static_cast<float>(copy.place.y);
      painter.Add(*map, in_sheet);
    }
    copy.sheet->used = frame_;
    copies.push_back(copy);
  }
  flush();
  glEnable(GL_SCISSOR_TEST);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, surface.width, surface.height);
  const Sheet* reading = nullptr;
  for (std::size_t index = 0; index < copies.size(); ++index) {
    const auto& [sheet, place] = copies[index];
    if (sheet == nullptr) {
      continue;
    }
    if (sheet != reading) {
      glBindFramebuffer(GL_READ_FRAMEBUFFER, sheet->canvas.framebuffer());
      reading = sheet;
    }
    const Rect& target = placements[index].target;
    const int x = static_cast<int>(target.x);
    const int y = static_cast<int>(target.y);
    const int width = static_cast<int>(target.width);
    const int height = static_cast<int>(target.height);
    glBlitFramebuffer(place.x,
                      place.y,
                      place.x + width,
                      place.y + height,
                      x,
                      y,
                      x + width,
                      y + height,
                      GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

}  // namespace headscope
