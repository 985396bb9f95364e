#include "core/compare/most_alike.h"

#include <cmath>

#include "core/attention/row_divergence.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"

namespace headscope {
namespace {

LayerAttention::Content Parts(std::int64_t layer, std::uint64_t seed) {
  LayerAttention::Content content;
  content.layer = layer;
  content.shape = {
      .queries = 9, .keys = 9, .heads = 3, .kv_heads = 3, .head_dim = 4, .value_dim = 4};
  content.rule.causal = true;
  content.rule.scale = 0.5;
  RandomStream random(seed);
  for (auto* values : {&content.queries, &content.keys}) {
    for (int i = 0; i < 9 * 12; ++i) {
      values->push_back(static_cast<float>(random.Normal()));
    }
  }
  return content;
}

}  // namespace

TEST_CASE("the heads most alike are those of least divergence, a copy first", "[compare]") {
  const auto first = test::WithExactWeights(Parts(0, 1));
  const auto second = test::WithExactWeights(Parts(1, 2));
  const auto copy = test::WithExactWeights(Parts(2, 1));
  const std::vector layers = {first.layer, second.layer, copy.layer};
  const auto found = MostAlike(layers, {0, 1}, 100, {});
  REQUIRE(found);
  REQUIRE(found->size() == 8);  // all others
  CHECK(found->front() == AlikeHead{{2, 1}, 0.0});
  for (std::size_t i = 0; i < found->size(); ++i) {
    const AlikeHead& alike = (*found)[i];
    CHECK((i == 0 || alike.divergence >= (*found)[i - 1].divergence));
    const auto& other = alike.head.layer == 0 ? first : alike.head.layer == 1 ? second : copy;
    double sum = 0.0;
    for (std::int64_t query = 1; query < 9; ++query) {
      for (std::int64_t key = 0; key <= query; ++key) {
        const double p = first.At(1, query, key);
        const double q = other.At(alike.head.head, query, key);
        const double m = (p + q) / 2.0;
        sum += (p * std::log(p / m) + q * std::log(q / m)) / 2.0;
      }
    }
    CHECK(std::abs(alike.divergence - sum / 8.0) <= 1e-5);
  }
  CHECK(MostAlike(layers, {0, 1}, 2, {})->size() == 2);
  CHECK(MostAlike(layers, {7, 0}, 2, {})->empty());
  std::stop_source stopped;
  stopped.request_stop();
  CHECK_FALSE(MostAlike(layers, {0, 1}, 2, stopped.get_token()));
}

}  // namespace headscope
