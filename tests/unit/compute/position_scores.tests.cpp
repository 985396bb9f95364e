#include "core/compute/position_scores.h"

#include <array>

#include "tests/support/random_positions.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

struct PositionSetting {
  AttentionShape shape;
  AttentionRule rule;
  std::int64_t span;
  bool has_keys, has_queries;
};

AttentionShape PositionShape(std::int64_t queries, std::int64_t keys, std::int64_t width) {
  return {.queries = queries,
          .keys = keys,
          .heads = 3,
          .kv_heads = 3,
          .head_dim = width,
          .value_dim = width};
}

}  // namespace

TEST_CASE("queries and keys meet positions in every backend", "[compute][positions]") {
  const auto setting = GENERATE(values<PositionSetting>({
      {PositionShape(9, 9, 5), {.scale = 0.4}, 3, true, true},
      {PositionShape(70, 70, 24), {.scale = 0.2}, 8, true, true},
      {PositionShape(70, 70, 24), {.scale = 0.2}, 90, true, false},
      {PositionShape(20, 20, 7), {.scale = 0.3, .causal = true, .window = 6}, 5, false, true},
      {PositionShape(6, 31, 40), {.scale = 0.1, .causal = true, .offset = 25}, 9, true, true},
  }));
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const AttentionShape& shape = setting.shape;
  AttentionRule rule = setting.rule;
  rule.positions =
      test::RandomPositions(shape, setting.span, setting.has_keys, setting.has_queries, 5);
  const AttentionCase given = RandomCase(shape, rule, 31);
  const Attended result = Attend(backend.get(), given);
  double worst = 0.0;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      std::vector<double> terms;
      double sum = 0.0;
      for (std::int64_t key = rule.FirstVisible(query); key < rule.LastVisible(query, shape.keys);
           ++key) {
        terms.push_back(std::exp(
            test::ScoreWithPositions(shape, rule, given.queries, given.keys, head, query, key)));
        sum += terms.back();
      }
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::int64_t key = rule.FirstVisible(query) + static_cast<std::int64_t>(i);
        const auto weight = static_cast<double>(result.maps.Weight(head, query, key));
        worst = std::max(worst, std::abs(weight - terms[i] / sum));
      }
    }
  }
  CHECK(worst <= 2e-6);
}

TEST_CASE("one head's positions are those of all", "[compute][positions]") {
  const AttentionShape shape = PositionShape(4, 4, 6);
  AttentionRule rule{.scale = 0.5};
  CHECK(PositionsOfHead(rule, 1) == nullptr);
  CHECK(PositionScoreOf(rule, 1, 2, 3, {}, {}).query_content == 0.0);
  rule.positions = test::RandomPositions(shape, 3, true, true, 8);
  AttentionRule alone = rule;
  alone.positions = PositionsOfHead(rule, 2);
  CHECK(alone.positions->heads == 1);
  const std::array<double, 6> query = {0.5, -1.0, 2.0, 0.25, 1.0, -0.5};
  const std::array<double, 6> key = {1.5, 1.0, -2.0, 0.75, 0.0, 0.5};
  for (std::int64_t at = 0; at < 9; ++at) {
    const PositionScore own = PositionScoreOf(alone, 0, 4, at, query, key);
    const PositionScore all = PositionScoreOf(rule, 2, 4, at, query, key);
    CHECK(own.query_content == all.query_content);
    CHECK(own.key_content == all.key_content);
  }
}

}  // namespace headscope
