#include "core/headcount/head_similarity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

struct HeadMaps {
  std::vector<float> weights;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

HeadMaps Maps(const std::vector<float>& weights,
              std::int64_t heads,
              std::int64_t queries,
              std::int64_t keys) {
  return {.weights = weights, .heads = heads, .queries = queries, .keys = keys};
}

// All rows at once, or one after another.
HeadSimilarity Compare(const HeadMaps& maps, const AttentionRule& rule, std::int64_t at_once) {
  HeadSimilarity similarity(maps.heads, maps.keys, rule);
  for (std::int64_t begin = 0; begin < maps.queries; begin += at_once) {
    const std::int64_t end = std::min(maps.queries, begin + at_once);
    std::vector<float> rows;
    for (std::int64_t head = 0; head < maps.heads; ++head) {
      const auto map = maps.weights.begin() + head * maps.queries * maps.keys;
      rows.insert(rows.end(), map + begin * maps.keys, map + end * maps.keys);
    }
    REQUIRE(similarity.Add(begin, rows, {}).has_value());
  }
  return similarity;
}

double Divergence(const HeadMaps& maps, const AttentionRule& rule = {}) {
  const auto whole = Compare(maps, rule, maps.queries).MeanDivergence();
  const auto by_row = Compare(maps, rule, 1).MeanDivergence();
  REQUIRE(whole.has_value());
  CHECK(whole == by_row);
  return *whole;
}

double Effective(const HeadMaps& maps) {
  const double whole = Compare(maps, {}, maps.queries).EffectiveHeads();
  CHECK(whole == Compare(maps, {}, 1).EffectiveHeads());
  return whole;
}

// `heads` heads over `n` tokens, head i looking only at key i.
std::vector<float> OneHot(std::int64_t heads, std::int64_t n) {
  std::vector<float> weights(static_cast<std::size_t>(heads * n * n), 0.0F);
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t query = 0; query < n; ++query) {
      weights[static_cast<std::size_t>((head * n + query) * n + head)] = 1.0F;
    }
  }
  return weights;
}

TEST_CASE("Identical heads do not diverge and count as one", "[headcount][similarity]") {
  std::vector<float> weights;
  for (int head = 0; head < 3; ++head) {
    weights.insert(weights.end(), {0.7F, 0.2F, 0.1F, 0.3F, 0.3F, 0.4F});
  }
  CHECK(Divergence(Maps(weights, 3, 2, 3)) == 0.0);
  CHECK(Effective(Maps(weights, 3, 2, 3)) == test::Near(1.0));
}

TEST_CASE("Heads that share no key are ln 2 apart and all count", "[headcount][similarity]") {
  const std::int64_t heads = GENERATE(2, 3, 6);
  const std::vector<float> weights = OneHot(heads, 6);
  CHECK(Divergence(Maps(weights, heads, 6, 6)) == test::Near(std::log(2.0), 2.0 * test::kUnit));
  CHECK(Effective(Maps(weights, heads, 6, 6)) == test::Near(static_cast<double>(heads)));
}

TEST_CASE("One row's divergence by hand", "[headcount][similarity]") {
  // p = (1, 0), q = (1/2, 1/2): H(3/4, 1/4) - H(1/2, 1/2) / 2.
  const std::vector<float> weights = {1.0F, 0.0F, 0.5F, 0.5F};
  const double mixed = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  CHECK(Divergence(Maps(weights, 2, 1, 2)) ==
        test::Near(mixed - 0.5 * std::log(2.0), 2.0 * test::kUnit));
  // Cosine 1 / sqrt 2: eigenvalues 1 +- 1 / sqrt 2.
  const double a = 0.5 * (1.0 + std::sqrt(0.5));
  const double b = 1.0 - a;
  CHECK(Effective(Maps(weights, 2, 1, 2)) ==
        test::Near(std::exp(-a * std::log(a) - b * std::log(b))));
}

TEST_CASE("Rows with one visible key do not count", "[headcount][similarity]") {
  AttentionRule causal;
  causal.causal = true;
  // Row 0 sees one key; row 1 is disjoint.
  const std::vector<float> weights = {1.0F, 0.0F, 1.0F, 0.0F, 1.0F, 0.0F, 0.0F, 1.0F};
  CHECK(Divergence(Maps(weights, 2, 2, 2), causal) == test::Near(std::log(2.0), 2.0 * test::kUnit));
  CHECK(Divergence(Maps(weights, 2, 2, 2)) == test::Near(0.5 * std::log(2.0), 2.0 * test::kUnit));
}

TEST_CASE("There is no divergence of one head, or where no row has a choice",
          "[headcount][similarity]") {
  const std::vector<float> one = {1.0F, 0.0F, 0.5F, 0.5F};
  CHECK_FALSE(Compare(Maps(one, 1, 2, 2), {}, 2).MeanDivergence().has_value());
  CHECK(Effective(Maps(one, 1, 2, 2)) == 1.0);
  const std::vector<float> lone = {1.0F, 1.0F};
  CHECK_FALSE(Compare(Maps(lone, 2, 1, 1), {}, 1).MeanDivergence().has_value());
}

TEST_CASE("A comparison can be stopped", "[headcount][similarity]") {
  std::stop_source source;
  source.request_stop();
  const std::vector<float> weights = OneHot(3, 4);
  HeadSimilarity similarity(3, 4, {});
  CHECK(similarity.Add(0, weights, source.get_token()).error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
