#include "app/render/map_store.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <epoxy/gl.h>

#include "core/base/check.h"

namespace headscope {
namespace {

constexpr int kSmallestSide = 64;
constexpr int kSheetCells = 1024 * 1024;  // 4 MiB, plus levels
constexpr int kMostSlices = 256;          // the number that OpenGL 3.3 guarantees

// One level of a whole map.
struct Level {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;
};

// Takes the largest of 2 x 2 cells, starting from masked, so that masked cells and NaN lose.
Level HalfOf(std::int64_t rows, std::int64_t cols, const float* values) {
  Level half{(rows + 1) / 2, (cols + 1) / 2, {}};
  half.values.assign(static_cast<std::size_t>(half.rows * half.cols), -1.0F);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const from = values + row * cols;
    float* const to = half.values.data() + row / 2 * half.cols;
    for (std::int64_t col = 0; col < cols; ++col) {
      float& largest = to[col / 2];
      largest = from[col] > largest ? from[col] : largest;
    }
  }
  return half;
}

// Cuts an axis of a map into pages.
std::vector<MapStore::Stretch> Cut(std::int64_t cells) {
  constexpr std::int64_t kStep = MapStore::kPage - 2 * MapStore::kHalo;
  if (cells <= MapStore::kPage) {
    return {{0, static_cast<int>(cells), 0, cells}};
  }
  std::vector<MapStore::Stretch> stretches;
  for (std::int64_t origin = 0;; origin += kStep) {
    const std::int64_t end = std::min<std::int64_t>(cells, origin + MapStore::kPage);
    const bool is_last = end == cells;
    stretches.push_back({origin,
                         static_cast<int>(end - origin),
                         origin == 0 ? 0 : origin + MapStore::kHalo,
                         is_last ? cells : end - MapStore::kHalo});
    if (is_last) {
      return stretches;
    }
  }
}

}  // namespace

struct MapStore::Sheet {
  explicit Sheet(int side_cells) : side(side_cells), texture(gl::Texture::Create()) {
    const int slices = std::clamp(kSheetCells / (side * side), 1, kMostSlices);
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture.id());
    for (int level = 0; level < kLevels; ++level) {
      const int level_side = std::max(1, side >> level);
      glTexImage3D(GL_TEXTURE_2D_ARRAY,
                   level,
                   GL_R32F,
                   level_side,
                   level_side,
                   slices,
                   0,
                   GL_RED,
                   GL_FLOAT,
                   nullptr);
    }
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, kLevels - 1);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    for (int slice = slices - 1; slice >= 0; --slice) {
      free.push_back(slice);
    }
    unused = free.size();
  }
  [[nodiscard]] bool IsEmpty() const { return free.size() == unused; }

  int side;
  gl::Texture texture;
  std::vector<int> free;
  std::size_t unused = 0;  // number of free slices if there is no map
};

MapStore::MapStore() = default;
MapStore::~MapStore() = default;

MapStore::Page MapStore::Place(const Stretch& down, const Stretch& across) {
  const auto longest = static_cast<unsigned>(std::max(down.cells, across.cells));
  const int side = std::max(kSmallestSide, static_cast<int>(std::bit_ceil(longest)));
  const auto found = std::find_if(sheets_.begin(), sheets_.end(), [&](const auto& sheet) {
    return sheet->side == side && !sheet->free.empty();
  });
  Sheet& sheet =
      found != sheets_.end() ? **found : *sheets_.emplace_back(std::make_unique<Sheet>(side));
  const Page page{sheet.texture.id(), sheet.free.back(), down, across};
  sheet.free.pop_back();
  return page;
}

MapHandle MapStore::Add(std::int64_t rows, std::int64_t cols, std::span<const float> values) {
  HEADSCOPE_CHECK(rows >= 0 && cols >= 0 && std::cmp_equal(rows * cols, values.size()),
                  "a map's values fill its rows and columns");
  if (values.empty()) {
    return 0;
  }
  std::vector<Level> levels;
  for (int level = 1; level < kLevels; ++level) {
    levels.push_back(
        level == 1 ? HalfOf(rows, cols, values.data())
                   : HalfOf(levels.back().rows, levels.back().cols, levels.back().values.data()));
  }
  Map map{rows, cols, {}};
  for (const Stretch& down : Cut(rows)) {
    for (const Stretch& across : Cut(cols)) {
      const Page page = Place(down, across);
      glBindTexture(GL_TEXTURE_2D_ARRAY, page.texture);
      for (int level = 0; level < kLevels; ++level) {
        const auto size = [level](std::int64_t cells) {
          return (cells + (std::int64_t{1} << level) - 1) >> level;
        };
        const std::int64_t level_cols =
            level == 0 ? cols : levels[static_cast<std::size_t>(level - 1)].cols;
        const float* const data =
            level == 0 ? values.data() : levels[static_cast<std::size_t>(level - 1)].values.data();
        glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(level_cols));
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY,
                        level,
                        0,
                        0,
                        page.slice,
                        static_cast<GLsizei>(size(across.cells)),
                        static_cast<GLsizei>(size(down.cells)),
                        1,
                        GL_RED,
                        GL_FLOAT,
                        data + (down.origin >> level) * level_cols + (across.origin >> level));
      }
      map.pages.push_back(page);
    }
  }
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  maps_.emplace(next_, std::move(map));
  return next_++;
}

void MapStore::Remove(MapHandle handle) {
  const auto found = maps_.find(handle);
  if (found == maps_.end()) {
    return;
  }
  for (const Page& page : found->second.pages) {
    const auto sheet = std::find_if(sheets_.begin(), sheets_.end(), [&](const auto& candidate) {
      return candidate->texture.id() == page.texture;
    });
    (*sheet)->free.push_back(page.slice);
    if ((*sheet)->IsEmpty()) {
      sheets_.erase(sheet);
    }
  }
  maps_.erase(found);
}

const MapStore::Map* MapStore::Find(MapHandle handle) const {
  const auto found = maps_.find(handle);
  return found == maps_.end() ? nullptr : &found->second;
}

std::vector<float> MapStore::Read(const Map& map) const {
  std::vector<float> values(static_cast<std::size_t>(map.rows * map.cols));
  const gl::Framebuffer framebuffer = gl::Framebuffer::Create();
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer.id());
  glPixelStorei(GL_PACK_ROW_LENGTH, static_cast<GLint>(map.cols));
  for (const Page& page : map.pages) {
    glFramebufferTextureLayer(
        GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, page.texture, 0, page.slice);
    glReadPixels(0,
                 0,
                 page.across.cells,
                 page.down.cells,
                 GL_RED,
                 GL_FLOAT,
                 values.data() + page.down.origin * map.cols + page.across.origin);
  }
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  return values;
}

}  // namespace headscope
