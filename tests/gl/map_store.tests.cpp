// What lies in the textures, read back level by level with OpenGL's own call.
#include "app/render/map_store.h"

#include <algorithm>
#include <vector>

#include <epoxy/gl.h>

#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/telling_maps.h"

namespace headscope {
namespace {

// One level of a whole array texture, slice after slice.
struct Sheet {
  int side = 0;
  std::vector<float> cells;
};

Sheet ReadSheet(unsigned texture, int level) {
  glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
  int width = 0;
  int height = 0;
  int slices = 0;
  glGetTexLevelParameteriv(GL_TEXTURE_2D_ARRAY, level, GL_TEXTURE_WIDTH, &width);
  glGetTexLevelParameteriv(GL_TEXTURE_2D_ARRAY, level, GL_TEXTURE_HEIGHT, &height);
  glGetTexLevelParameteriv(GL_TEXTURE_2D_ARRAY, level, GL_TEXTURE_DEPTH, &slices);
  REQUIRE(width == height);
  Sheet sheet{width, std::vector<float>(static_cast<std::size_t>(width * height * slices))};
  glGetTexImage(GL_TEXTURE_2D_ARRAY, level, GL_RED, GL_FLOAT, sheet.cells.data());
  return sheet;
}

// The largest of the 2^level x 2^level cells under one, of those that there are.
float Largest(const std::vector<float>& values,
              std::int64_t rows,
              std::int64_t cols,
              std::int64_t row,
              std::int64_t col,
              int level) {
  float largest = -1.0F;
  for (std::int64_t r = row << level; r < std::min(rows, (row + 1) << level); ++r) {
    for (std::int64_t c = col << level; c < std::min(cols, (col + 1) << level); ++c) {
      largest = std::max(largest, values[static_cast<std::size_t>(r * cols + c)]);
    }
  }
  return largest;
}

// Rows of the page that are not, cell for cell, those of the map.
std::int64_t WrongRows(const MapStore::Map& map,
                       const MapStore::Page& page,
                       const std::vector<float>& values,
                       int level) {
  const Sheet sheet = ReadSheet(page.texture, level);
  const auto cells = [level](std::int64_t count) {
    return (count + (std::int64_t{1} << level) - 1) >> level;
  };
  std::int64_t wrong = 0;
  for (std::int64_t row = 0; row < cells(page.down.cells); ++row) {
    const float* got = sheet.cells.data() + (page.slice * sheet.side + row) * sheet.side;
    bool is_right = true;
    for (std::int64_t col = 0; col < cells(page.across.cells); ++col) {
      is_right = is_right && got[col] == Largest(values,
                                                 map.rows,
                                                 map.cols,
                                                 (page.down.origin >> level) + row,
                                                 (page.across.origin >> level) + col,
                                                 level);
    }
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("Every row of a texture is the map's own, at every level", "[render][store]") {
  struct Size {
    std::int64_t rows;
    std::int64_t cols;
  };
  // One cell, strips, sides around those of the sheets, and maps of several pages.
  const Size size = GENERATE(Size{1, 1},
                             Size{1, 9},
                             Size{9, 1},
                             Size{31, 31},
                             Size{63, 65},
                             Size{64, 64},
                             Size{128, 128},
                             Size{300, 130},
                             Size{1024, 1023},
                             Size{1025, 40},
                             Size{70, 2100},
                             Size{1900, 1030});
  CAPTURE(size.rows, size.cols);
  static_cast<void>(TestWindow());
  MapStore store;
  // Neighbours in the sheets, before and after.
  const std::vector<float> other(static_cast<std::size_t>(size.rows * size.cols), 2.0F);
  static_cast<void>(store.Add(size.rows, size.cols, other));
  const std::vector<float> values = test::TellingWeights(size.rows * size.cols);
  const MapHandle handle = store.Add(size.rows, size.cols, values);
  static_cast<void>(store.Add(size.rows, size.cols, other));
  const MapStore::Map* map = store.Find(handle);
  REQUIRE(map != nullptr);
  CHECK(map->rows == size.rows);
  CHECK(map->cols == size.cols);
  std::int64_t drawn = 0;
  for (const MapStore::Page& page : map->pages) {
    CAPTURE(page.down.origin, page.across.origin);
    CHECK(page.down.first >= page.down.origin);
    CHECK(page.down.last <= page.down.origin + page.down.cells);
    CHECK(page.across.first >= page.across.origin);
    CHECK(page.across.last <= page.across.origin + page.across.cells);
    drawn += (page.down.last - page.down.first) * (page.across.last - page.across.first);
    for (int level = 0; level < MapStore::kLevels; ++level) {
      CAPTURE(level);
      CHECK(WrongRows(*map, page, values, level) == 0);
    }
  }
  CHECK(drawn == size.rows * size.cols);
  CHECK(store.Read(*map) == values);
}

TEST_CASE("Masked cells are kept, and lose at every level", "[render][store]") {
  static_cast<void>(TestWindow());
  MapStore store;
  constexpr std::int64_t kSide = 150;
  std::vector<float> values = test::TellingWeights(kSide * kSide);
  for (std::int64_t row = 0; row < kSide; ++row) {
    for (std::int64_t col = row + 1; col < kSide; ++col) {
      values[static_cast<std::size_t>(row * kSide + col)] = -1.0F;
    }
  }
  const MapStore::Map* map = store.Find(store.Add(kSide, kSide, values));
  REQUIRE(map != nullptr);
  REQUIRE(map->pages.size() == 1);
  for (int level = 0; level < MapStore::kLevels; ++level) {
    CAPTURE(level);
    CHECK(WrongRows(*map, map->pages[0], values, level) == 0);
  }
}

}  // namespace
}  // namespace headscope
