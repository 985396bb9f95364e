#include "core/attention/map_tile.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/compute/backend.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/unit/attention/random_layer.h"

namespace headscope {
namespace {

using test::MapOf;
using test::RandomContent;
using test::Stored;

AttentionShape TileShape(std::int64_t n, std::int64_t m) {
  return {.queries = n, .keys = m, .heads = 4, .kv_heads = 2, .head_dim = 8, .value_dim = 8};
}

struct Cell {
  double sum = 0.0;
  float largest = 0.0F;
  std::int64_t visible = 0;
};

// Mean and largest of the visible weights under one cell, from the exact map.
Cell CellOf(const LayerAttention& layer,
            const std::vector<float>& map,
            std::int64_t level,
            std::int64_t row,
            std::int64_t col) {
  const AttentionShape& shape = layer.shape();
  Cell cell;
  const auto end = [level](std::int64_t at, std::int64_t length) {
    return std::min(length, (at + 1) << level);
  };
  for (std::int64_t query = row << level; query < end(row, shape.queries); ++query) {
    for (std::int64_t key = col << level; key < end(col, shape.keys); ++key) {
      if (layer.Visible(query, key)) {
        const float weight = map[static_cast<std::size_t>(query * shape.keys + key)];
        cell.sum += static_cast<double>(weight);
        cell.largest = std::max(cell.largest, weight);
        ++cell.visible;
      }
    }
  }
  return cell;
}

void CheckTile(const LayerAttention& layer,
               const std::vector<float>& map,
               std::int64_t head,
               const TileIndex& index) {
  CAPTURE(index.level, index.row, index.col);
  const Result<MapTile> tile = MakeTile(layer, head, index, {});
  REQUIRE(tile.has_value());
  CHECK(tile->index == index);
  CHECK(tile->head == head);
  CHECK(tile->max.empty() == (index.level == 0));
  double worst = 0.0;
  bool masks_agree = true;
  for (std::int64_t row = 0; row < tile->rows; ++row) {
    float largest = 0.0F;
    for (std::int64_t col = 0; col < CellsAt(layer.shape().keys, index.level); ++col) {
      const Cell cell = CellOf(layer, map, index.level, index.row * kTileCells + row, col);
      largest = std::max(largest, cell.largest);
      const std::int64_t own = col - index.col * kTileCells;
      if (own < 0 || own >= tile->cols) {
        continue;
      }
      const auto at = static_cast<std::size_t>(row * tile->cols + own);
      const float mean = tile->mean[at];
      masks_agree = masks_agree && (cell.visible == 0) == (mean == kMasked);
      if (cell.visible > 0) {
        const double expected = cell.sum / static_cast<double>(cell.visible);
        worst = std::max(worst, std::abs(static_cast<double>(mean) - expected));
        worst = std::max(worst,
                         static_cast<double>(
                             std::abs((index.level == 0 ? mean : tile->max[at]) - cell.largest)));
      }
    }
    worst = std::max(
        worst,
        static_cast<double>(std::abs(tile->row_largest[static_cast<std::size_t>(row)] - largest)));
  }
  CHECK(masks_agree);
  // Tiles of stored rows are made of scores in float32, and of the row's largest as it is rounded.
  const double size = test::ScoreSize(layer);
  CHECK(worst <=
        test::WeightBound(test::SumBound(size, layer.shape().head_dim), layer.shape().keys) +
            2.0 * test::kUnit * (1.0 + size));
}

}  // namespace

TEST_CASE("tiles of every level are the map's weights, pooled", "[attention][tile]") {
  struct Case {
    AttentionShape shape;
    AttentionRule rule;
  };
  const auto one = GENERATE(values<Case>({
      {TileShape(600, 600), {.scale = 0.5, .causal = true}},
      {TileShape(300, 530), {.scale = 0.7}},
      {TileShape(530, 530), {.scale = 0.5, .causal = true, .window = 40}},
      {TileShape(270, 270), {.scale = 2.0, .softcap = 3.0, .causal = true}},
      {TileShape(5, 1000), {.scale = 1.0, .causal = true, .offset = 995}},
  }));
  const LayerAttention layer = Stored(one.shape, one.rule);
  const std::int64_t head = 3;
  const std::vector<float> map = MapOf(layer, head);
  for (const std::int64_t level : {0, 1, 2, 5}) {
    const auto tiles = [level](std::int64_t length) {
      return (CellsAt(length, level) + kTileCells - 1) / kTileCells;
    };
    for (std::int64_t row = 0; row < tiles(one.shape.queries); ++row) {
      for (std::int64_t col = 0; col < tiles(one.shape.keys); ++col) {
        CheckTile(layer, map, head, {level, row, col});
      }
    }
  }
}

TEST_CASE("a bias by distance is in the tiles too", "[attention][tile]") {
  const AttentionShape shape = TileShape(300, 300);
  auto bias = std::make_shared<RelativeBias>();
  bias->span = 3;
  for (std::int64_t i = 0; i < shape.heads * 7; ++i) {
    bias->values.push_back(0.25F * static_cast<float>(i % 7));
  }
  const LayerAttention layer =
      Stored(shape, {.scale = 0.5, .softcap = GENERATE(0.0, 2.0), .bias = bias});
  const std::vector<float> map = MapOf(layer, 2);
  CheckTile(layer, map, 2, {0, 1, 1});
  CheckTile(layer, map, 2, {1, 0, 0});
}

TEST_CASE("what a sink takes is in no cell: rows, tiles and the sink add up to 1",
          "[attention][tile]") {
  const AttentionShape shape = TileShape(40, 40);
  std::vector<float> sinks;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    sinks.push_back(static_cast<float>(head) - 1.5F);
  }
  const LayerAttention layer =
      Stored(shape,
             {.scale = 0.5,
              .causal = true,
              .sinks = std::make_shared<const std::vector<float>>(std::move(sinks))});
  for (const std::int64_t head : {std::int64_t{0}, shape.heads - 1}) {
    const std::vector<float> map = MapOf(layer, head);
    CheckTile(layer, map, head, {0, 0, 0});
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      const auto row = map.begin() + query * shape.keys;
      const double sum = std::accumulate(row, row + shape.keys, 0.0);
      CHECK(sum < 1.0);
      CHECK(std::abs(sum + layer.SinkWeight(head, query) - 1.0) <= 1e-6);
    }
  }
}

TEST_CASE("a layer with nothing stored of its rows gives the exact weights", "[attention][tile]") {
  const LayerAttention layer(RandomContent(TileShape(40, 40), {.scale = 1.0, .causal = true}));
  const std::vector<float> map = MapOf(layer, 1);
  CheckTile(layer, map, 1, {0, 0, 0});
  CheckTile(layer, map, 1, {2, 0, 0});
}

TEST_CASE("a tile that is no longer wanted is not made", "[attention][tile]") {
  const LayerAttention layer = Stored(TileShape(30, 30), {.scale = 1.0});
  std::stop_source source;
  source.request_stop();
  CHECK(MakeTile(layer, 0, {0, 0, 0}, source.get_token()).error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
