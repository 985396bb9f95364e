#include "core/attention/joined_heads.h"

#include <limits>
#include <thread>

#include "core/attention/given_layer.h"
#include "core/attention/thumbnail_builder.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"

namespace headscope::test {
namespace {

using Stack = std::vector<std::shared_ptr<const LayerAttention>>;

double JoinedAt(const LayerAttention& layer, std::int64_t query, std::int64_t key) {
  std::vector<float> row(static_cast<std::size_t>(layer.shape().keys));
  layer.Row(0, query, row);
  return static_cast<double>(row[static_cast<std::size_t>(key)]);
}

std::shared_ptr<const LayerAttention> Joined(const Stack& layers, HeadsJoin join) {
  auto joined = JoinHeads(layers, join, {});
  REQUIRE(joined.has_value());
  return *joined;
}

TEST_CASE("the mean of a layer is the mean of each cell", "[attention][joined]") {
  const auto made = MakeDistinct({.id = {}, .heads = 3, .queries = 70, .keys = 70});
  const auto mean = Joined({made.layer}, HeadsJoin::kMean);
  CHECK(mean->shape().heads == 1);
  for (std::int64_t query = 0; query < 70; ++query) {
    for (std::int64_t key = 0; key < 70; ++key) {
      const double expected =
          (made.At(0, query, key) + made.At(1, query, key) + made.At(2, query, key)) / 3.0;
      CHECK(JoinedAt(*mean, query, key) == Approx(expected).margin(1e-6));
      CHECK(mean->Visible(query, key) == made.layer->Visible(query, key));
    }
  }
}

TEST_CASE("rollout is the product of the layers, half of each token kept", "[attention][joined]") {
  constexpr std::int64_t kTokens = 67;  // more than the rows that are made at once
  Stack layers;
  std::vector<DistinctLayer> made;
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    made.push_back(MakeDistinct(
        {.id = {ModelPart::kWhole, layer}, .heads = 2, .queries = kTokens, .keys = kTokens}));
    layers.push_back(made.back().layer);
  }
  std::vector<double> expected(kTokens * kTokens);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    std::vector<double> next(expected.size());
    for (std::int64_t query = 0; query < kTokens; ++query) {
      for (std::int64_t key = 0; key < kTokens; ++key) {
        const double own = query == key ? 0.5 : 0.0;
        const double factor =
            own + 0.25 * (made[layer].At(0, query, key) + made[layer].At(1, query, key));
        for (std::int64_t from = 0; from < kTokens; ++from) {
          const double below = layer == 0
                                   ? (key == from ? 1.0 : 0.0)
                                   : expected[static_cast<std::size_t>(key * kTokens + from)];
          next[static_cast<std::size_t>(query * kTokens + from)] += factor * below;
        }
      }
    }
    expected = std::move(next);
  }
  const auto rollout = Joined(layers, HeadsJoin::kRollout);
  for (std::int64_t query = 0; query < kTokens; ++query) {
    double sum = 0.0;
    for (std::int64_t key = 0; key < kTokens; ++key) {
      const double found = JoinedAt(*rollout, query, key);
      CHECK(found ==
            Approx(expected[static_cast<std::size_t>(query * kTokens + key)]).margin(1e-6));
      sum += found;
    }
    CHECK(sum == Approx(1.0).margin(1e-5));
  }
}

TEST_CASE("what a sink takes goes to nobody, and rollout divides by what is left",
          "[attention][joined]") {
  const auto layer = MakeEven({.id = {}, .heads = 2, .queries = 4, .keys = 4, .sink = true});
  const auto mean = Joined({layer}, HeadsJoin::kMean);
  CHECK(JoinedAt(*mean, 2, 0) == Approx(1.0 / 4));  // of three keys and the sink
  const auto rollout = Joined({layer}, HeadsJoin::kRollout);
  CHECK(JoinedAt(*rollout, 2, 0) == Approx(1.0 / 6));
  CHECK(JoinedAt(*rollout, 2, 2) == Approx(0.5 + 1.0 / 6));
}

TEST_CASE("what cannot be joined says why, and joining can be stopped", "[attention][joined]") {
  const auto says = [](const Stack& layers, HeadsJoin join) {
    const auto joined = JoinHeads(layers, join, {});
    REQUIRE_FALSE(joined.has_value());
    CHECK(joined.error().code == ErrorCode::kInput);
    return joined.error().message;
  };
  CHECK_THAT(says({}, HeadsJoin::kMean), Says("no layer"));
  const auto layer = EvenLayer(1, 2, 4);
  CHECK_THAT(says({layer}, HeadsJoin::kRollout), Says("layer 0"));
  CHECK_THAT(says({nullptr, layer}, HeadsJoin::kRollout), Says("layer 0"));
  const auto across = MakeDistinct({.id = {}, .heads = 2, .queries = 3, .keys = 5}).layer;
  CHECK_THAT(says({across}, HeadsJoin::kRollout), Says("one text"));
  CHECK(Joined({across}, HeadsJoin::kMean)->shape().keys == 5);
  LayerAttention::Content broken;
  broken.shape = {.queries = 2, .keys = 2, .heads = 1, .kv_heads = 1};
  broken.given = HeldWeights(std::make_shared<const std::vector<float>>(std::vector<float>{
                                 1.0F, 0.0F, std::numeric_limits<float>::quiet_NaN(), 1.0F}),
                             broken.shape);
  const Stack not_finite = {*MakeGivenLayer(std::move(broken), kThumbnailSize, {})};
  for (const HeadsJoin join : {HeadsJoin::kMean, HeadsJoin::kRollout}) {
    const auto joined = JoinHeads(not_finite, join, {});
    REQUIRE_FALSE(joined.has_value());
    CHECK(joined.error().code == ErrorCode::kNumeric);
    CHECK_THAT(joined.error().message, Says("layer 0") || Says("Layer 0"));
    CHECK_THAT(joined.error().message, Says("query 1, key 0"));
  }
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = JoinHeads(Stack{layer}, HeadsJoin::kMean, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

TEST_CASE("the name says which layers and how many heads", "[attention][joined]") {
  CHECK(JoinedName(*EvenLayer(1, 8, 4), HeadsJoin::kMean) == "Mean of the 8 heads of layer 1");
  CHECK(JoinedName(*EvenLayer(0, 8, 4), HeadsJoin::kRollout) ==
        "Rollout of layer 0 (mean over heads, half of each token kept)");
  CHECK(JoinedName(*EvenLayer(3, 8, 4), HeadsJoin::kRollout) ==
        "Rollout of layers 0 to 3 (mean over heads, half of each token kept)");
}

}  // namespace
}  // namespace headscope::test
