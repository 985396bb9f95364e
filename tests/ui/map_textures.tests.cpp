// What is handed to the renderer for every kind of map, row by row.
#include "app/views/maps/map_textures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "core/attention/map_tile.h"
#include "core/worker/head_map.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/telling_maps.h"

namespace headscope {
namespace {

struct Uploaded {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;
};

class KeepingRenderer : public Renderer {
 public:
  MapHandle Upload(std::int64_t rows, std::int64_t cols, std::span<const float> values) override {
    maps[++last_] = {rows, cols, {values.begin(), values.end()}};
    return last_;
  }
  void Release(MapHandle map) override { maps.erase(map); }
  int DrawScene(const Scene& /*scene*/, int /*width*/, int /*height*/) override { return 0; }
  LabelTexture Label(std::string_view /*utf8*/, const TextStyle& /*style*/) override { return {}; }
  std::vector<LabelTexture> Picture(std::uint64_t /*key*/,
                                    std::uint64_t /*revision*/,
                                    const TextPicture& /*picture*/) override {
    return {};
  }
  Pixels ReadWindow(int /*width*/, int /*height*/) override { return {}; }

  std::map<MapHandle, Uploaded> maps;

 private:
  MapHandle last_ = 0;
};

struct Setting {
  std::int64_t queries;
  std::int64_t keys;
  AttentionRule rule;
};

Setting AnySetting() {
  return GENERATE(values<Setting>({{1, 1, {.causal = true}},
                                   {9, 9, {.causal = true}},
                                   {7, 30, {}},
                                   {128, 128, {.causal = true}},
                                   {130, 130, {.causal = true, .window = 20}},
                                   {257, 257, {.causal = true}},
                                   {40, 600, {}},
                                   {530, 33, {}}}));
}

constexpr std::int64_t kHeads = 3;
constexpr std::int64_t kHead = 1;

// The map as the formula has it: cell by cell from the numbers that the layer was made of.
class Exact {
 public:
  Exact(const Setting& setting, std::int64_t head) : setting_(setting), head_(head) {}

  [[nodiscard]] bool Visible(std::int64_t query, std::int64_t key) const {
    return key >= setting_.rule.FirstVisible(query) &&
           key < setting_.rule.LastVisible(query, setting_.keys);
  }
  [[nodiscard]] float Weight(std::int64_t query, std::int64_t key) const {
    return test::TellingWeight((head_ * setting_.queries + query) * setting_.keys + key);
  }
  [[nodiscard]] float Cell(std::int64_t query, std::int64_t key) const {
    return Visible(query, key) ? Weight(query, key) : kMasked;
  }

  struct Block {
    float largest = kMasked;
    double mean = static_cast<double>(kMasked);
  };
  // Of cells [row side, (row + 1) side) by the same of columns, those that are visible.
  [[nodiscard]] Block Pooled(std::int64_t row, std::int64_t col, std::int64_t side) const {
    Block block;
    double sum = 0.0;
    std::int64_t visible = 0;
    for (std::int64_t query = row * side; query < std::min(setting_.queries, (row + 1) * side);
         ++query) {
      for (std::int64_t key = col * side; key < std::min(setting_.keys, (col + 1) * side); ++key) {
        if (Visible(query, key)) {
          block.largest = std::max(block.largest, Weight(query, key));
          sum += static_cast<double>(Weight(query, key));
          ++visible;
        }
      }
    }
    block.mean = visible > 0 ? sum / static_cast<double>(visible) : block.mean;
    return block;
  }

 private:
  Setting setting_;
  std::int64_t head_;
};

// Means of up to `side` x `side` weights below 1; one cell amiss moves them by a thousand times
// that.
double MeanBound(std::int64_t side) {
  return side == 1 ? 0.0 : test::SumBound(1.0, side * side);
}

}  // namespace

TEST_CASE("A whole map goes to the textures cell by cell", "[views][textures]") {
  const Setting setting = AnySetting();
  CAPTURE(setting.queries, setting.keys);
  const auto layer = test::TellingLayer(kHeads, setting.queries, setting.keys, setting.rule, 128);
  const Exact exact(setting, kHead);
  const auto map = MakeHeadMap({layer, kHead}, {});
  REQUIRE(map.has_value());
  KeepingRenderer renderer;
  MapTextures textures(&renderer);
  textures.BeginFrame();
  const Uploaded& got = renderer.maps.at(textures.Whole(*map));
  CHECK(got.rows == setting.queries);
  CHECK(got.cols == setting.keys);
  std::vector<float> expected;
  for (std::int64_t query = 0; query < setting.queries; ++query) {
    for (std::int64_t key = 0; key < setting.keys; ++key) {
      expected.push_back(exact.Cell(query, key));
    }
  }
  CHECK(got.values == expected);
}

TEST_CASE("Thumbnails go to the textures with the largest or the mean of their cells",
          "[views][textures]") {
  const Setting setting = AnySetting();
  CAPTURE(setting.queries, setting.keys);
  const auto layer = test::TellingLayer(kHeads, setting.queries, setting.keys, setting.rule, 128);
  std::int64_t side = 1;
  while ((std::max(setting.queries, setting.keys) + side - 1) / side > 128) {
    side *= 2;
  }
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const Exact exact(setting, head);
    for (const Pooling pooling : {Pooling::kMax, Pooling::kMean}) {
      CAPTURE(head, static_cast<int>(pooling));
      KeepingRenderer renderer;
      MapTextures textures(&renderer);
      textures.BeginFrame();
      const Uploaded& got = renderer.maps.at(textures.Thumbnail({layer, head}, pooling));
      REQUIRE(got.rows == (setting.queries + side - 1) / side);
      REQUIRE(got.cols == (setting.keys + side - 1) / side);
      double worst = 0.0;
      for (std::int64_t row = 0; row < got.rows; ++row) {
        for (std::int64_t col = 0; col < got.cols; ++col) {
          const auto value =
              static_cast<double>(got.values[static_cast<std::size_t>(row * got.cols + col)]);
          const Exact::Block block = exact.Pooled(row, col, side);
          const double expected =
              pooling == Pooling::kMax ? static_cast<double>(block.largest) : block.mean;
          worst = std::max(worst, std::abs(value - expected));
        }
      }
      CHECK(worst <= (pooling == Pooling::kMax ? 0.0 : MeanBound(side)));
    }
  }
}

TEST_CASE("Tiles go to the textures with the cells of their place", "[views][textures]") {
  const Setting setting = AnySetting();
  const std::int64_t level = GENERATE(0, 1, 3);
  CAPTURE(setting.queries, setting.keys, level);
  const auto layer = test::TellingLayer(kHeads, setting.queries, setting.keys, setting.rule, 128);
  const Exact exact(setting, kHead);
  const std::int64_t side = std::int64_t{1} << level;
  const auto tiles = [level](std::int64_t cells) {
    return (CellsAt(cells, level) + kTileCells - 1) / kTileCells;
  };
  std::int64_t seen = 0;
  for (std::int64_t down = 0; down < tiles(setting.queries); ++down) {
    for (std::int64_t across = 0; across < tiles(setting.keys); ++across) {
      auto made = MakeTile(*layer, kHead, {level, down, across}, {});
      REQUIRE(made.has_value());
      const auto tile = std::make_shared<const MapTile>(std::move(*made));
      for (const Pooling pooling : {Pooling::kMax, Pooling::kMean}) {
        KeepingRenderer renderer;
        MapTextures textures(&renderer);
        textures.BeginFrame();
        const Uploaded& got = renderer.maps.at(textures.Tile(tile, pooling, {}));
        seen += pooling == Pooling::kMax ? got.rows * got.cols : 0;
        double worst = 0.0;
        for (std::int64_t row = 0; row < got.rows; ++row) {
          for (std::int64_t col = 0; col < got.cols; ++col) {
            const auto value =
                static_cast<double>(got.values[static_cast<std::size_t>(row * got.cols + col)]);
            const Exact::Block block =
                exact.Pooled(down * kTileCells + row, across * kTileCells + col, side);
            const double expected =
                pooling == Pooling::kMax ? static_cast<double>(block.largest) : block.mean;
            worst = std::max(worst, std::abs(value - expected));
          }
        }
        CHECK(worst <= (pooling == Pooling::kMax ? 0.0 : MeanBound(side)));
      }
    }
  }
  CHECK(seen == CellsAt(setting.queries, level) * CellsAt(setting.keys, level));
}

TEST_CASE("Rows with ranges of their own go to tiles as positions in the whole row's range",
          "[views][textures]") {
  const Setting setting{.queries = 300, .keys = 280, .rule = {.causal = true}};
  const Curve curve = GENERATE(Curve::kLinear, Curve::kSqrt, Curve::kLog);
  const auto layer = test::TellingLayer(kHeads, setting.queries, setting.keys, setting.rule, 128);
  const Exact exact(setting, kHead);
  ColorScale scale;
  scale.range = RangeMode::kRow;
  scale.curve = curve;
  auto made = MakeTile(*layer, kHead, {0, 1, 0}, {});
  REQUIRE(made.has_value());
  const auto tile = std::make_shared<const MapTile>(std::move(*made));
  KeepingRenderer renderer;
  MapTextures textures(&renderer);
  textures.BeginFrame();
  const Uploaded& got = renderer.maps.at(textures.Tile(tile, Pooling::kMax, scale));
  std::vector<float> expected;
  for (std::int64_t query = kTileCells; query < setting.queries; ++query) {
    std::vector<float> row;
    for (std::int64_t key = 0; key < setting.keys; ++key) {
      row.push_back(exact.Cell(query, key));
    }
    const ColorScale own = ScaleOfRow(scale, row);
    for (std::int64_t key = 0; key < kTileCells; ++key) {
      const float cell = row[static_cast<std::size_t>(key)];
      expected.push_back(cell < 0.0F ? cell : Position(own, cell));
    }
  }
  CHECK(got.values == expected);
}

}  // namespace headscope
