#include "core/attention/score_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "tests/support/catch.h"
#include "tests/unit/attention/random_layer.h"

namespace headscope {
namespace {

const AttentionShape kShape{
    .queries = 6, .keys = 8, .heads = 4, .kv_heads = 2, .head_dim = 5, .value_dim = 5};

TEST_CASE("The parts of a score add up to its weight", "[score_parts]") {
  AttentionRule rule{.scale = 0.45, .causal = true, .offset = 2};
  SECTION("plain") {}
  SECTION("capped") {
    rule.softcap = 1.5;
  }
  SECTION("with a slope") {
    rule.bias = std::make_shared<const RelativeBias>(
        RelativeBias{.span = 8, .values = {}, .slopes = {0.5F, 0.25F, 0.1F, 0.0F}});
  }
  SECTION("with a sink") {
    rule.sinks = std::make_shared<const std::vector<float>>(std::vector<float>{0.5F, 1, 2, -1});
  }
  const auto layer = std::make_shared<const LayerAttention>(test::Stored(kShape, rule));
  for (std::int64_t head = 0; head < 4; ++head) {
    for (std::int64_t key = 0; key <= 5; ++key) {
      const ScoreParts parts = PartsOfScore({layer, head}, 3, key);
      REQUIRE(parts.products.size() == 5);
      double dot = 0.0;
      for (std::size_t i = 0; i < 5; ++i) {
        const auto own = static_cast<std::size_t>(3 * 20 + head * 5) + i;
        const auto shared = static_cast<std::size_t>(key * 10 + head / 2 * 5) + i;
        CHECK(parts.query[i] == static_cast<double>(layer->content().queries[own]));
        CHECK(parts.key[i] == static_cast<double>(layer->content().keys[shared]));
        CHECK(parts.products[i] == parts.query[i] * parts.key[i]);
        dot += parts.products[i];
      }
      CHECK(std::abs(parts.dot - dot) < 1e-12);
      CHECK(std::abs(parts.dot - layer->DotProduct(head, 3, key)) < 1e-9);
      CHECK(std::abs(parts.capped + parts.bias + parts.positions - parts.score) < 1e-12);
      CHECK(std::abs(parts.score - layer->Score(head, 3, key)) < 1e-9);
      CHECK(std::abs(parts.exponential / parts.sum - parts.weight) < 1e-6);
      std::vector<float> row(8);
      layer->Row(head, 3, row);
      CHECK(parts.weight == static_cast<double>(row[static_cast<std::size_t>(key)]));
      CHECK(parts.sink == layer->SinkWeight(head, 3));
      for (std::int64_t other = 0; other <= 5; ++other) {
        CHECK(layer->Score(head, 3, other) <= parts.largest + 1e-9);
      }
    }
  }
}

TEST_CASE("A masked cell has products, and no weight", "[score_parts]") {
  const auto layer =
      std::make_shared<const LayerAttention>(test::Stored(kShape, {.scale = 0.45, .causal = true}));
  const ScoreParts parts = PartsOfScore({layer, 0}, 2, 5);
  CHECK(parts.score == -std::numeric_limits<double>::infinity());
  CHECK(parts.weight == 0.0);
  CHECK(std::abs(parts.dot - layer->DotProduct(0, 2, 5)) < 1e-9);
}

TEST_CASE("Dimensions go from the largest product to the smallest", "[score_parts]") {
  ScoreParts parts;
  parts.products = {0.5, -2.0, 3.0, 0.5, 0.0};
  CHECK(SortedDimensions(parts) == std::vector<std::int32_t>{2, 0, 3, 4, 1});
}

}  // namespace
}  // namespace headscope
