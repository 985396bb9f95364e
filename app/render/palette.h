// Colour scales as two small textures: for each scale the 256 colours, and the exact weight at
// which each begins, computed with core/figure. So a cell has the same colour on screen as in a
// figure.
//
// Threads  UI thread, with the context current.
// Cost     a new scale takes some microseconds; a known one is a lookup.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "app/gl/objects.h"
#include "core/figure/color_scale.h"

namespace headscope {

struct PaletteKey {
  ColorScale scale;
  Theme theme = Theme::kDark;
  bool dimmed = false;
  Rgb background;  // dimmed colours are blended towards it
  friend bool operator==(const PaletteKey&, const PaletteKey&) = default;
};

// Returns the smallest weight >= 0 that has each index; infinity if no weight has it.
[[nodiscard]] std::array<float, kColormapSize> Thresholds(const ColorScale& scale);

class Palette {
 public:
  static constexpr int kRows = 512;

  Palette();

  struct Row {
    int index = 0;
    Curve shading = Curve::kSqrt;  // CURVE of heatmap.frag
    std::array<float, 4> curve{};  // v_curve of heatmap.frag
  };
  // Returns nothing if all rows are taken: draw everything that uses them, Clear, and ask again.
  [[nodiscard]] std::optional<Row> Find(const PaletteKey& key);
  void Clear();

  [[nodiscard]] unsigned thresholds() const { return thresholds_.id(); }
  [[nodiscard]] unsigned colors() const { return colors_.id(); }

 private:
  struct Entry {
    PaletteKey key;
    Row row;
  };
  std::vector<Entry> entries_;
  gl::Texture thresholds_;
  gl::Texture colors_;
};

}  // namespace headscope
