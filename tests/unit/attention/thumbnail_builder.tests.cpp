#include "core/attention/thumbnail_builder.h"

#include <algorithm>

#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/unit/attention/random_layer.h"

namespace headscope {
namespace {

using test::MapOf;
using test::RandomContent;

AttentionShape ShapeOf(std::int64_t n, std::int64_t m, std::int64_t heads = 2) {
  return {.queries = n, .keys = m, .heads = heads, .kv_heads = 1, .head_dim = 4, .value_dim = 4};
}

// The layer's maps, handed over in blocks of `rows` queries, the last block first.
std::vector<Thumbnail> Build(const LayerAttention& layer, std::int64_t size, std::int64_t rows) {
  const AttentionShape& shape = layer.shape();
  ThumbnailBuilder builder(shape, layer.rule(), size);
  for (std::int64_t begin = (shape.queries - 1) / rows * rows; begin >= 0; begin -= rows) {
    const std::int64_t end = std::min(begin + rows, shape.queries);
    const auto cells = static_cast<std::size_t>((end - begin) * shape.keys);
    std::vector<float> weights(cells * static_cast<std::size_t>(shape.heads));
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      layer.Rows(head,
                 begin,
                 end,
                 std::span(weights).subspan(static_cast<std::size_t>(head) * cells, cells));
    }
    builder.Add({.head_begin = 0,
                 .head_end = shape.heads,
                 .query_begin = begin,
                 .query_end = end,
                 .keys = shape.keys,
                 .weights = weights,
                 .row_max = {},
                 .row_inverse_sum = {}});
  }
  return builder.Take();
}

}  // namespace

TEST_CASE("a thumbnail of a small map is the map itself", "[attention][thumbnail]") {
  const LayerAttention layer(RandomContent(ShapeOf(9, 9), {.scale = 1.0, .causal = true}));
  for (const std::int64_t size : {9, 10, 128}) {
    const std::vector<Thumbnail> thumbnails = Build(layer, size, 4);
    REQUIRE(thumbnails.size() == 2);
    for (std::int64_t head = 0; head < 2; ++head) {
      const Thumbnail& thumbnail = thumbnails[static_cast<std::size_t>(head)];
      CHECK(thumbnail.rows == 9);
      CHECK(thumbnail.cols == 9);
      CHECK_FALSE(thumbnail.pooled);
      CHECK(thumbnail.max.empty());
      const std::vector<float> map = MapOf(layer, head);
      for (std::size_t cell = 0; cell < map.size(); ++cell) {
        const bool is_masked = cell % 9 > cell / 9;
        CHECK(thumbnail.mean[cell] == (is_masked ? kMasked : map[cell]));
      }
    }
  }
}

TEST_CASE("pooled cells hold mean and maximum over visible cells only", "[attention][thumbnail]") {
  struct Case {
    AttentionShape shape;
    AttentionRule rule;
    std::int64_t size;
    std::int64_t block_rows;
  };
  const auto one = GENERATE(values<Case>({
      {ShapeOf(16, 16), {.scale = 1.0, .causal = true}, 4, 16},
      {ShapeOf(16, 16), {.scale = 1.0, .causal = true}, 4, 3},
      {ShapeOf(17, 17), {.scale = 1.0}, 5, 1},
      {ShapeOf(17, 17, 3), {.scale = 1.0, .causal = true}, 16, 7},
      {ShapeOf(31, 31), {.scale = 1.0, .causal = true, .window = 5}, 7, 8},
      {ShapeOf(5, 40), {.scale = 1.0}, 10, 2},
      {ShapeOf(40, 3), {.scale = 1.0}, 8, 9},
      {ShapeOf(2, 100), {.scale = 1.0}, 10, 1},
      {ShapeOf(12, 12), {.scale = 1.0, .causal = true}, 1, 5},
  }));
  const LayerAttention layer(RandomContent(one.shape, one.rule));
  const std::vector<Thumbnail> thumbnails = Build(layer, one.size, one.block_rows);
  for (std::int64_t head = 0; head < one.shape.heads; ++head) {
    const Thumbnail& thumbnail = thumbnails[static_cast<std::size_t>(head)];
    CHECK(thumbnail.pooled);
    const std::int64_t longer = std::max(one.shape.queries, one.shape.keys);
    std::int64_t side = 1;
    while ((longer + side - 1) / side > one.size) {
      side *= 2;
    }
    CHECK(thumbnail.rows == (one.shape.queries + side - 1) / side);
    CHECK(thumbnail.cols == (one.shape.keys + side - 1) / side);
    REQUIRE(thumbnail.max.size() == thumbnail.mean.size());
    const std::vector<float> map = MapOf(layer, head);
    for (std::int64_t row = 0; row < thumbnail.rows; ++row) {
      for (std::int64_t col = 0; col < thumbnail.cols; ++col) {
        double sum = 0.0;
        int count = 0;
        float largest = 0.0F;
        for (std::int64_t query = row * side; query < std::min((row + 1) * side, one.shape.queries);
             ++query) {
          for (std::int64_t key = col * side; key < std::min((col + 1) * side, one.shape.keys);
               ++key) {
            if (layer.Visible(query, key)) {
              const float weight = map[static_cast<std::size_t>(query * one.shape.keys + key)];
              sum += static_cast<double>(weight);
              largest = std::max(largest, weight);
              ++count;
            }
          }
        }
        const auto cell = static_cast<std::size_t>(row * thumbnail.cols + col);
        INFO("cell " << row << ", " << col);
        if (count == 0) {
          CHECK(thumbnail.mean[cell] == kMasked);
          CHECK(thumbnail.max[cell] == kMasked);
        } else {
          // Added in double, or in float32 over the rows of a block: all below 1.
          CHECK(std::abs(static_cast<double>(thumbnail.mean[cell]) - sum / count) <=
                test::SumBound(sum / count, count));
          CHECK(thumbnail.max[cell] == largest);
        }
      }
    }
  }
}

TEST_CASE("an even causal map pools to its closed form", "[attention][thumbnail]") {
  // Row i is 1/(i+1): a cell of rows 2r, 2r+1 below the diagonal is the mean of the two.
  LayerAttention::Content content = RandomContent(ShapeOf(8, 8, 1), {.scale = 1.0, .causal = true});
  std::fill(content.queries.begin(), content.queries.end(), 0.0F);
  const Thumbnail thumbnail = Build(LayerAttention(std::move(content)), 4, 8)[0];
  for (std::size_t row = 0; row < 4; ++row) {
    const double upper = 1.0 / static_cast<double>(2 * row + 1);
    const double lower = 1.0 / static_cast<double>(2 * row + 2);
    for (std::size_t col = 0; col < 4; ++col) {
      const auto mean = static_cast<double>(thumbnail.mean[row * 4 + col]);
      const auto max = static_cast<double>(thumbnail.max[row * 4 + col]);
      if (col > row) {
        CHECK(mean == static_cast<double>(kMasked));
      } else {
        // On the diagonal three of four cells are visible.
        const double expected = col == row ? (upper + 2.0 * lower) / 3.0 : (upper + lower) / 2.0;
        CHECK(std::abs(mean - expected) <= test::SumBound(expected, 4));
        CHECK(max == static_cast<double>(static_cast<float>(upper)));
      }
    }
  }
}

}  // namespace headscope
