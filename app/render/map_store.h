// Maps as textures: many small maps share one array texture, large ones are cut into pages.
//
// Shapes   [rows, cols] float32, row-major, rows are queries. Pages are kPage cells square and
//          overlap, so that every pixel finds all the cells it covers in one page; none exceeds the
//          1,024 cells per side that OpenGL 3.3 guarantees.
// Units    level l of a page holds the largest of 2^l x 2^l cells, ignoring masked ones.
// Threads  UI thread, with the context current.
// Cost     Add copies once, and a third more for the levels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "app/gl/objects.h"
#include "app/render/scene.h"

namespace headscope {

class MapStore {
 public:
  static constexpr int kPage = 1024;
  static constexpr int kHalo = 64;   // cells shared with the next page, on each side
  static constexpr int kLevels = 7;  // 2^(kLevels - 1) cells == kHalo

  // A page's cells along one axis of the map.
  struct Stretch {
    std::int64_t origin = 0;  // the page's first cell in the map
    int cells = 0;
    std::int64_t first = 0;  // [first, last) is drawn from this page
    std::int64_t last = 0;
  };
  struct Page {
    unsigned texture = 0;
    int slice = 0;
    Stretch down;
    Stretch across;
  };
  struct Map {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<Page> pages;
  };

  MapStore();
  ~MapStore();
  MapStore(const MapStore&) = delete;
  MapStore& operator=(const MapStore&) = delete;

  [[nodiscard]] MapHandle Add(std::int64_t rows, std::int64_t cols, std::span<const float> values);
  void Remove(MapHandle map);
  [[nodiscard]] const Map* Find(MapHandle map) const;  // null: removed or never added
  [[nodiscard]] std::vector<float> Read(const Map& map) const;

 private:
  struct Sheet;  // one array texture
  Page Place(const Stretch& down, const Stretch& across);

  std::vector<std::unique_ptr<Sheet>> sheets_;
  std::unordered_map<MapHandle, Map> maps_;
  MapHandle next_ = 1;
};

}  // namespace headscope
