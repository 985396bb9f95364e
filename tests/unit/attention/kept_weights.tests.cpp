#include "core/attention/kept_weights.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "tests/support/attention_fixture.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/telling_maps.h"
#include "tests/unit/attention/random_layer.h"

namespace headscope {
namespace {

using test::MapOf;
using test::Stored;
using test::TellingLayer;

using Place = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // view, query, key

KeptWeights Kept(const std::shared_ptr<const LayerAttention>& layer, const KeepRule& rule) {
  std::vector<MapView> heads;
  for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
    heads.push_back({layer, head});
  }
  return *KeepWeights(heads, rule, {});
}

TEST_CASE("A row keeps as few weights as reach the mass, the largest first", "[kept_weights]") {
  const std::vector<float> row = {0.1F, 0.0F, 0.4F, 0.25F, 0.25F};
  using Keys = std::vector<std::int32_t>;
  CHECK(LargestOfRow(row, {.mass = 0.4}) == Keys{2});
  CHECK(LargestOfRow(row, {.mass = 0.41}) == Keys{2, 3});
  CHECK(LargestOfRow(row, {.mass = 0.65}) == Keys{2, 3});
  CHECK(LargestOfRow(row, {.mass = 0.9}) == Keys{2, 3, 4});
  CHECK(LargestOfRow(row, {.mass = 1.0}) == Keys{2, 3, 4, 0});  // no weight of 0
  CHECK(LargestOfRow(row, {.mass = 0.9, .per_row = 2}) == Keys{2, 3});
  CHECK(LargestOfRow(std::vector<float>{0.0F, 0.0F}, {}).empty());
  // The mass is that of the row's tokens: a sink of 0.5 leaves 0.5 for them.
  CHECK(LargestOfRow(std::vector<float>{0.05F, 0.45F}, {.mass = 0.9}) == Keys{1});
}

TEST_CASE("What is kept of heads is what each row keeps, and the rest is counted",
          "[kept_weights]") {
  const AttentionRule rule{.causal = GENERATE(true, false)};
  const auto layer = TellingLayer(3, 150, 150, rule, 128);
  const KeepRule keep{.mass = 0.7, .most = 1'000'000};
  const KeptWeights kept = Kept(layer, keep);
  std::map<Place, float> found;
  for (const KeptWeight& weight : kept.weights) {
    found[{weight.view, weight.query, weight.key}] = weight.weight;
  }
  CHECK(found.size() == kept.weights.size());
  std::size_t expected = 0;
  std::int64_t smaller = 0;
  double left = 0.0;
  for (std::int32_t head = 0; head < 3; ++head) {
    const std::vector<float> map = MapOf(*layer, head);
    for (std::int32_t query = 0; query < 150; ++query) {
      // By sorting the whole row.
      std::vector<std::pair<float, std::int32_t>> row;
      for (std::int32_t key = 0; key < 150; ++key) {
        row.emplace_back(-map[static_cast<std::size_t>(query * 150 + key)], key);
      }
      std::ranges::sort(row);
      double sum = 0.0;
      for (const auto& cell : row) {
        sum -= static_cast<double>(cell.first);
      }
      double reached = 0.0;
      for (const auto& [negative, key] : row) {
        if (negative == 0.0F) {
          continue;
        }
        if (reached < 0.7 * sum) {
          ++expected;
          CHECK(found.contains({head, query, key}));
        } else {
          ++smaller;
          left -= static_cast<double>(negative);
        }
        reached -= static_cast<double>(negative);
      }
    }
  }
  CHECK(found.size() == expected);
  CHECK(kept.smaller == smaller);
  CHECK(kept.beyond == 0);
  CHECK(std::abs(kept.left * 450.0 - left) < 1e-3);
  CHECK(std::ranges::is_sorted(kept.weights, {}, &KeptWeight::weight));
}

TEST_CASE("At most so many weights are kept, each row's largest first, and the others are told",
          "[kept_weights]") {
  const auto layer = TellingLayer(2, 60, 60, {}, 128);
  const KeptWeights all = Kept(layer, {.mass = 0.9, .most = 1'000'000});
  const KeptWeights some = Kept(layer, {.mass = 0.9, .most = 150});
  REQUIRE(all.weights.size() > 1000);
  REQUIRE(some.weights.size() == 150);
  CHECK(std::ranges::is_sorted(some.weights, {}, &KeptWeight::weight));
  std::vector<KeptWeight> expected = all.weights;
  // Of equal weights those read first are the larger.
  std::ranges::sort(expected, {}, [](const KeptWeight& weight) {
    return std::tuple(weight.rank, -weight.weight, weight.view, weight.query, weight.key);
  });
  expected.resize(150);
  std::vector<KeptWeight> got = some.weights;
  for (auto* const weights : {&expected, &got}) {
    std::ranges::sort(*weights, {}, [](const KeptWeight& weight) {
      return std::tuple(weight.view, weight.query, weight.rank);
    });
  }
  CHECK(got == expected);
  CHECK(some.beyond == std::ssize(all.weights) - 150);
  CHECK(some.smaller == all.smaller);
  CHECK(std::abs(some.kept + some.left - all.kept - all.left) < 1e-6);
}

TEST_CASE("Even rows of a long text keep lines to its end", "[kept_weights]") {
  const auto layer = test::MakeEven({.id = {}, .queries = 300, .keys = 300});
  const KeptWeights kept = Kept(layer, {.mass = 0.9, .most = 600});
  REQUIRE(kept.weights.size() == 600);
  std::vector<int> of_row(300);
  for (const KeptWeight& weight : kept.weights) {
    ++of_row[static_cast<std::size_t>(weight.query)];
  }
  CHECK(std::ranges::min(of_row) >= 1);
  CHECK(std::ranges::max(of_row) <= 3);
}

TEST_CASE("What a sink takes is neither kept nor left out", "[kept_weights]") {
  const auto layer = test::MakeEven({.id = {}, .queries = 3, .keys = 3, .sink = true});
  const KeptWeights kept = Kept(layer, {.mass = 1.0});
  CHECK(kept.weights.size() == 6);
  CHECK(std::abs(kept.sink - (1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 3) < 1e-6);
  CHECK(std::abs(kept.kept + kept.sink - 1.0) < 1e-6);
  CHECK(kept.left < 1e-6);
}

TEST_CASE("Weights are kept of the head that was asked for, with their row's largest",
          "[kept_weights]") {
  const auto layer = TellingLayer(3, 5, 7, {}, 128);
  const std::vector<MapView> heads = {{layer, 2}, {layer, 0}};
  const auto kept = KeepWeights(heads, {.mass = 0.5}, {});
  REQUIRE(kept);
  std::set<std::int32_t> views;
  for (const KeptWeight& weight : kept->weights) {
    const std::int64_t head = heads[static_cast<std::size_t>(weight.view)].head;
    std::vector<float> row(7);
    layer->Row(head, weight.query, row);
    CHECK(row[static_cast<std::size_t>(weight.key)] == weight.weight);
    CHECK(*std::ranges::max_element(row) == weight.row_largest);
    views.insert(weight.view);
  }
  CHECK(views == std::set<std::int32_t>{0, 1});
}

TEST_CASE("A row and a column alone are kept by the same rule", "[kept_weights]") {
  const auto layer = TellingLayer(2, 30, 40, {}, 128);
  const std::vector<MapView> heads = {{layer, 0}, {layer, 1}};
  const KeptWeights all = *KeepWeights(heads, {.mass = 0.6, .most = 100'000}, {});
  const KeptWeights row = KeepRow(heads, {.mass = 0.6}, 7);
  std::vector<KeptWeight> of_row;
  std::ranges::copy_if(all.weights, std::back_inserter(of_row), [](const auto& weight) {
    return weight.query == 7;
  });
  CHECK(row.weights == of_row);
  CHECK(row.smaller == 80 - std::ssize(of_row));

  const KeptWeights column = KeepColumn(heads, {.mass = 0.6}, 11);
  double sum = 0.0;
  for (std::int64_t query = 0; query < 60; ++query) {
    sum += static_cast<double>(test::TellingWeight(query * 40 + 11));
  }
  double kept = 0.0;
  for (const KeptWeight& weight : column.weights) {
    CHECK(weight.key == 11);
    CHECK(weight.weight == test::TellingWeight((weight.view * 30 + weight.query) * 40 + 11));
    std::vector<float> values(40);
    layer->Row(weight.view, weight.query, values);
    CHECK(weight.row_largest == *std::ranges::max_element(values));
    kept += static_cast<double>(weight.weight);
  }
  CHECK(std::abs(column.kept - kept / sum) < 1e-5);
  CHECK(std::abs(column.kept + column.left - 1.0) < 1e-5);
  CHECK(column.kept >= 0.6);
  CHECK(std::ssize(column.weights) + column.smaller == 60);
}

TEST_CASE("Keeping weights stops", "[kept_weights]") {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<MapView> heads = {{TellingLayer(1, 5, 5, {}, 128), 0}};
  const auto kept = KeepWeights(heads, {}, stop.get_token());
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == ErrorCode::kCancelled);
}

TEST_CASE("A column is what each row gives its key", "[kept_weights]") {
  const AttentionShape shape{
      .queries = 40, .keys = 45, .heads = 4, .kv_heads = 2, .head_dim = 8, .value_dim = 8};
  AttentionRule rule{.scale = 0.4, .causal = true, .offset = 5};
  SECTION("causal") {}
  SECTION("capped, in a window") {
    rule.softcap = 3.0;
    rule.window = 9;
  }
  SECTION("with a sink") {
    rule.sinks = std::make_shared<const std::vector<float>>(std::vector<float>{0.5F, 1, 2, -1});
  }
  SECTION("with a slope") {
    rule.bias = std::make_shared<const RelativeBias>(
        RelativeBias{.span = 45, .values = {}, .slopes = {0.5F, 0.25F, 0.1F, 0.0F}});
  }
  const auto layer = std::make_shared<const LayerAttention>(Stored(shape, rule));
  for (const std::int64_t head : {0, 3}) {
    const std::vector<float> map = MapOf(*layer, head);
    for (const std::int64_t key : {0, 7, 44}) {
      std::vector<float> column(40);
      ColumnOf({layer, head}, key, column);
      for (std::int64_t query = 0; query < 40; ++query) {
        CHECK(std::abs(column[static_cast<std::size_t>(query)] -
                       map[static_cast<std::size_t>(query * 45 + key)]) < 1e-5F);
      }
    }
  }
}

TEST_CASE("A column of weights from a file is the file's", "[kept_weights]") {
  const auto layer = TellingLayer(2, 6, 4, {}, 128);
  std::vector<float> column(6);
  ColumnOf({layer, 1}, 2, column);
  for (std::int64_t query = 0; query < 6; ++query) {
    CHECK(column[static_cast<std::size_t>(query)] == test::TellingWeight((1 * 6 + query) * 4 + 2));
  }
}

}  // namespace
}  // namespace headscope
