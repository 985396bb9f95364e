#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "app/render/palette.h"
#include "core/figure/layout.h"
#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/cell_at.h"

namespace headscope {
namespace {

constexpr float kMaskedCell = -1.0F;

struct Drawn {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;
  MapPlacement placement;
  Theme theme = Theme::kDark;
};

// Uploads the map, draws it alone, reads the window.
Pixels DrawMap(const Drawn& drawn) {
  const auto renderer = MakeRenderer();
  Scene scene;
  scene.theme = drawn.theme;
  scene.regions.push_back(RegionOf(1600, 1000));
  scene.regions[0].maps.push_back(drawn.placement);
  scene.regions[0].maps[0].map = renderer->Upload(drawn.rows, drawn.cols, drawn.values);
  return Draw(*renderer, scene);
}

std::vector<float> RandomWeights(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(random()) / 4294967296.0F;
    if (random() % 9 == 0) {
      value = kMaskedCell;
    }
  }
  return values;
}

// Every limit between two colours, the floats on either side of it, and weights of all sizes.
std::vector<float> TellingWeights(const ColorScale& scale, std::size_t count) {
  std::vector<float> values = {
      0.0F, 1.0F, kMaskedCell, -0.0F, kLogFloor, 1e-30F, std::numeric_limits<float>::quiet_NaN()};
  for (const float limit : Thresholds(scale)) {
    if (std::isfinite(limit)) {
      values.push_back(limit);
      values.push_back(std::nextafter(limit, 2.0F));
      values.push_back(std::max(0.0F, std::nextafter(limit, 0.0F)));
    }
  }
  std::mt19937 random(5);
  while (values.size() < count) {
    const float linear = static_cast<float>(random()) / 4294967296.0F;
    values.push_back(random() % 2 == 0 ? linear : std::pow(10.0F, -8.0F * linear));
  }
  values.resize(count);
  return values;
}

TEST_CASE("A 4 x 4 map has exactly its pixels", "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = drawn.cols = 4;
  drawn.values = {0.0F,
                  0.1F,
                  0.2F,
                  0.3F,
                  kMaskedCell,
                  0.5F,
                  0.6F,
                  0.7F,
                  1.0F,
                  0.9F,
                  0.8F,
                  0.4F,
                  0.01F,
                  0.0F,
                  1.0F,
                  kMaskedCell};
  drawn.placement.target = {10.0F, 20.0F, 20.0F, 20.0F};
  const Pixels pixels = DrawMap(drawn);
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 50; ++x) {
      CAPTURE(x, y);
      const bool is_inside = x >= 10 && x < 30 && y >= 20 && y < 40;
      const int cell = is_inside ? (y - 20) / 5 * 4 + (x - 10) / 5 : 0;
      const Rgb expected = is_inside ? ColorOf(drawn.placement.scale,
                                               Theme::kDark,
                                               drawn.values[static_cast<std::size_t>(cell)])
                                     : Rgb{14, 17, 22};
      REQUIRE(PixelAt(pixels, x, y) == expected);
    }
  }
}

TEST_CASE("Every cell has the colour that a figure gives it", "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = 96;
  drawn.cols = 100;
  drawn.theme = GENERATE(Theme::kDark, Theme::kLight);
  ColorScale& scale = drawn.placement.scale;
  scale.curve = GENERATE(Curve::kLinear, Curve::kSqrt, Curve::kLog);
  scale.colormap = GENERATE(Colormap::kViridis,
                            Colormap::kCividis,
                            Colormap::kBlues,
                            Colormap::kGreys,
                            Colormap::kDiverging);
  struct Range {
    float low;
    float high;
  };
  const Range range = GENERATE(Range{0.0F, 1.0F},
                               Range{0.0F, 0.317F},
                               Range{0.2F, 0.7F},
                               Range{0.5F, 0.5F},
                               Range{-1.0F, 1.0F});
  scale.low = range.low;
  scale.high = range.high;
  CAPTURE(Name(scale.curve), Name(scale.colormap), scale.low, scale.high);
  drawn.values = TellingWeights(scale, 9600);
  drawn.placement.target = {0.0F, 0.0F, 300.0F, 288.0F};
  const Pixels pixels = DrawMap(drawn);
  for (int row = 0; row < 96; ++row) {
    for (int col = 0; col < 100; ++col) {
      const float weight = drawn.values[static_cast<std::size_t>(row * 100 + col)];
      const Rgb expected = ColorOf(scale, drawn.theme, weight);
      const Rgb got = PixelAt(pixels, 3 * col + 1, 3 * row + 1);
      if (got != expected) {
        FAIL("weight " << weight << ": " << int{got.r} << "," << int{got.g} << "," << int{got.b}
                       << " instead of " << int{expected.r} << "," << int{expected.g} << ","
                       << int{expected.b});
      }
    }
  }
}

TEST_CASE("Rows with ranges of their own are scaled one by one", "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = 40;
  drawn.cols = 30;
  drawn.values = RandomWeights(1200, 3);
  for (std::size_t cell = 0; cell < drawn.values.size(); ++cell) {
    if (drawn.values[cell] > 0.0F) {
      drawn.values[cell] /= static_cast<float>(cell / 30 + 1);
    }
  }
  ColorScale& scale = drawn.placement.scale;
  scale.range = RangeMode::kRow;
  scale.curve = GENERATE(Curve::kLinear, Curve::kSqrt, Curve::kLog);
  drawn.placement.target = {5.0F, 7.0F, 120.0F, 160.0F};
  const Pixels pixels = DrawMap(drawn);
  for (std::size_t row = 0; row < 40; ++row) {
    const std::span<const float> weights = std::span(drawn.values).subspan(row * 30, 30);
    const ColorScale own = ScaleOfRow(scale, weights);
    for (std::size_t col = 0; col < 30; ++col) {
      CAPTURE(row, col, weights[col]);
      REQUIRE(
          PixelAt(pixels, 5 + 4 * static_cast<int>(col) + 2, 7 + 4 * static_cast<int>(row) + 2) ==
          ColorOf(own, Theme::kDark, weights[col]));
    }
  }
}

TEST_CASE("A part of a map shows the cells that the layout names", "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = 200;
  drawn.cols = 150;
  drawn.values = RandomWeights(30000, 4);
  const float cell = GENERATE(1.0F, 3.0F, 7.25F, 16.0F);
  const Rect source = {20.5F, 33.25F, 31.0F, 40.0F};
  drawn.placement.source = source;
  drawn.placement.target = {40.0F, 30.0F, source.width * cell, source.height * cell};
  const Pixels pixels = DrawMap(drawn);
  const MapLayout layout{40.0 - 20.5 * static_cast<double>(cell),
                         30.0 - 33.25 * static_cast<double>(cell),
                         static_cast<double>(cell),
                         200,
                         150};
  for (int y = 30; y < 30 + static_cast<int>(40.0F * cell); ++y) {
    for (int x = 40; x < 40 + static_cast<int>(31.0F * cell); ++x) {
      CAPTURE(x, y, cell);
      const auto at = test::CellAt(layout, x + 0.5, y + 0.5);
      REQUIRE(at);
      REQUIRE(PixelAt(pixels, x, y) ==
              ColorOf(drawn.placement.scale,
                      Theme::kDark,
                      drawn.values[static_cast<std::size_t>(at->query * 150 + at->key)]));
    }
  }
}

TEST_CASE("Cells of fractional pixels have the colours that a figure gives them",
          "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = drawn.cols = GENERATE(255, 299, 401);
  const auto cells = static_cast<std::size_t>(drawn.rows);
  drawn.values = RandomWeights(cells * cells, 12);
  drawn.placement.target = {7.0F, 9.0F, 403.0F, 403.0F};
  const Pixels pixels = DrawMap(drawn);
  for (int y = 0; y < 403; ++y) {
    for (int x = 0; x < 403; ++x) {
      const auto cell = [cells](int pixel) {
        return static_cast<std::size_t>((2 * pixel + 1)) * cells / (2 * 403);
      };
      CAPTURE(x, y);
      REQUIRE(PixelAt(pixels, 7 + x, 9 + y) == ColorOf(drawn.placement.scale,
                                                       Theme::kDark,
                                                       drawn.values[cell(y) * cells + cell(x)]));
    }
  }
}

TEST_CASE("A map larger than a texture shows every cell", "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = 2100;
  drawn.cols = 1900;
  drawn.values = RandomWeights(static_cast<std::size_t>(drawn.rows * drawn.cols), 6);
  const float left = GENERATE(0.0F, 800.0F, 1100.0F);
  const float top = GENERATE(0.0F, 900.0F, 1600.0F);
  drawn.placement.source = {left, top, 800.0F, 500.0F};
  drawn.placement.target = {0.0F, 0.0F, 1600.0F, 1000.0F};
  const Pixels pixels = DrawMap(drawn);
  for (int row = 0; row < 500; ++row) {
    for (int col = 0; col < 800; ++col) {
      const auto cell = static_cast<std::size_t>((row + static_cast<int>(top)) * 1900 + col +
                                                 static_cast<int>(left));
      if (PixelAt(pixels, 2 * col, 2 * row + 1) !=
          ColorOf(drawn.placement.scale, Theme::kDark, drawn.values[cell])) {
        FAIL("row " << row << " of " << top << ", column " << col << " of " << left);
      }
    }
  }
}

TEST_CASE("A pixel that covers several cells shows the largest", "[render][heatmap]") {
  Drawn drawn;
  struct Size {
    std::int64_t rows;
    std::int64_t cols;
    int width;
    int height;
  };
  // Cells per pixel: 2, 1.6, 4, 8 across pages, and 12 by 1.
  const Size size = GENERATE(Size{96, 128, 64, 48},
                             Size{96, 96, 60, 60},
                             Size{256, 128, 32, 64},
                             Size{2048, 2048, 256, 256},
                             Size{40, 480, 40, 40});
  drawn.rows = size.rows;
  drawn.cols = size.cols;
  drawn.values = RandomWeights(static_cast<std::size_t>(size.rows * size.cols), 8);
  // A block of masked cells that covers pixels whole.
  for (std::int64_t row = 0; row < size.rows / 2; ++row) {
    for (std::int64_t col = size.cols / 2; col < size.cols; ++col) {
      drawn.values[static_cast<std::size_t>(row * size.cols + col)] = kMaskedCell;
    }
  }
  drawn.placement.target = {
      3.0F, 5.0F, static_cast<float>(size.width), static_cast<float>(size.height)};
  const Pixels pixels = DrawMap(drawn);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      // Cells [first, last) that the pixel touches.
      const auto touched = [](int pixel, std::int64_t cells, int length) {
        const std::int64_t first = pixel * cells / length;
        const std::int64_t last = ((pixel + 1) * cells + length - 1) / length;
        return std::pair(first, last);
      };
      const auto [top, bottom] = touched(y, size.rows, size.height);
      const auto [left, right] = touched(x, size.cols, size.width);
      float largest = kMaskedCell;
      for (std::int64_t row = top; row < bottom; ++row) {
        for (std::int64_t col = left; col < right; ++col) {
          largest =
              std::max(largest, drawn.values[static_cast<std::size_t>(row * size.cols + col)]);
        }
      }
      CAPTURE(x, y, size.rows, size.cols, largest);
      REQUIRE(PixelAt(pixels, 3 + x, 5 + y) ==
              ColorOf(drawn.placement.scale, Theme::kDark, largest));
    }
  }
}

TEST_CASE("A dimmed map stands half way to the background", "[render][heatmap]") {
  Drawn drawn;
  drawn.rows = drawn.cols = 8;
  drawn.values = RandomWeights(64, 9);
  drawn.placement.target = {0.0F, 0.0F, 64.0F, 64.0F};
  drawn.placement.dimmed = true;
  const Pixels pixels = DrawMap(drawn);
  for (int cell = 0; cell < 64; ++cell) {
    const Rgb full =
        ColorOf(drawn.placement.scale, Theme::kDark, drawn.values[static_cast<std::size_t>(cell)]);
    const Rgb got = PixelAt(pixels, cell % 8 * 8 + 4, cell / 8 * 8 + 4);
    CHECK(std::abs(2 * got.r - full.r - 14) <= 1);
    CHECK(std::abs(2 * got.g - full.g - 17) <= 1);
    CHECK(std::abs(2 * got.b - full.b - 22) <= 1);
  }
}

}  // namespace
}  // namespace headscope
