// Colour scales as two small textures: per scale the 256 colours, and the exact weight at which
// each begins, found by asking core/figure. So a cell on screen has the colour that a figure gives
// it.
//
// Threads  UI thread, with the context current.
// Cost     a scale costs some microseconds when first seen; then it is looked up.
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
  Rgb background;  // that dimmed colours lean to
  friend bool operator==(const PaletteKey&, const PaletteKey&) = default;
};

// The least weight, 0 or larger, that has each index; infinity where no weight has.
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
  // Nothing when all rows are taken: draw what refers to them, Clear, ask again.
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
