#include "core/compute/delta_rule.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

using test::Near;

// Queries, keys and values of one head, a row a token.
struct OneHead {
  std::vector<std::vector<double>> queries;
  std::vector<std::vector<double>> keys;
  std::vector<double> values;  // of width 1
};

std::vector<double> Run(const OneHead& head,
                        const std::vector<double>& strengths,
                        const std::vector<double>& fadings) {
  const DeltaShape shape{.tokens = std::ssize(head.values),
                         .key_heads = 1,
                         .heads = 1,
                         .key_width = std::ssize(head.keys.front()),
                         .value_width = 1};
  std::vector<double> columns;
  for (std::size_t token = 0; token < head.values.size(); ++token) {
    columns.insert(columns.end(), head.queries[token].begin(), head.queries[token].end());
    columns.insert(columns.end(), head.keys[token].begin(), head.keys[token].end());
    columns.push_back(head.values[token]);
  }
  return ApplyDeltaRule(shape, columns, strengths, fadings);
}

}  // namespace

TEST_CASE("a key gives back its value, however long the key is, until another replaces it",
          "[compute][delta]") {
  const OneHead head = {.queries = {{2, 0}, {7, 0}, {0, 5}, {1, 0}},
                        .keys = {{3, 0}, {0, 4}, {0, 1}, {9, 0}},
                        .values = {10, 20, 30, -1}};
  const std::vector<double> one(4, 1.0);
  const std::vector<double> out = Run(head, one, one);
  const double scale = 1.0 / std::sqrt(2.0);
  CHECK(out[0] == Near(10 * scale, 1e-5));
  CHECK(out[1] == Near(10 * scale, 1e-5));  // asked of the first key
  CHECK(out[2] == Near(30 * scale, 1e-5));  // 20 was replaced
  CHECK(out[3] == Near(-1 * scale, 1e-5));
}

TEST_CASE("strengths say how much is written, fadings how much of the past is left",
          "[compute][delta]") {
  const OneHead head = {.queries = {{1}, {1}, {1}}, .keys = {{1}, {1}, {1}}, .values = {8, 4, 100}};
  const std::vector<double> out = Run(head, {0.5, 0.25, 0.0}, {1.0, 0.5, 0.1});
  CHECK(out[0] == Near(4.0, 1e-4));
  CHECK(out[1] == Near(2.0 + 0.25 * (4.0 - 2.0), 1e-4));
  CHECK(out[2] == Near(0.25, 1e-4));
}

TEST_CASE("a state space adds what it reads and corrects nothing", "[compute][delta]") {
  const DeltaShape shape{
      .tokens = 3, .key_heads = 1, .heads = 2, .key_width = 2, .value_width = 1, .corrects = false};
  // Query and key of both heads, then a value each.
  const std::vector<double> columns = {1,
                                       0,
                                       3,
                                       4,
                                       10,
                                       1,  //
                                       0,
                                       2,
                                       3,
                                       0,
                                       5,
                                       2,  //
                                       1,
                                       1,
                                       0,
                                       1,
                                       0,
                                       7};
  const std::vector<double> strengths = {2, 1, 0.5, 1, 1, 0};
  const std::vector<double> fadings = {1, 1, 0.5, 1, 1, 0.1};
  const std::vector<double> out = ApplyDeltaRule(shape, columns, strengths, fadings);
  const std::vector<double> expected = {
      60,
      3,  // 1 of 2 * 10 * (3, 4), and of (3, 4)
      2 * 0.5 * 80,
      2 * 4,  // what is left of the second column
      (30 + 7.5) + 40 + 0,
      0.1 * (3 + 6) + 0.1 * 4};  // the second head forgets, and reads nothing
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(out[i] == Near(expected[i], 1e-12));
  }
}

TEST_CASE("heads that share keys have values of their own", "[compute][delta]") {
  const DeltaShape shape{.tokens = 2, .key_heads = 2, .heads = 4, .key_width = 1, .value_width = 2};
  REQUIRE(shape.columns() == 12);
  // Both queries and keys of a token, then four heads' values; the second pair of heads is asked the
  // other way round.
  const std::vector<double> columns = {1, 1,  1, 1, 1, 2, 3, 4, 5, 6, 7, 8,
                                       1, -1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<double> strengths = {1, 1, 1, 1, 0, 0, 0, 0};
  const std::vector<double> fadings = {1, 1, 1, 1, 1, 0.5, 1, 0};
  const std::vector<double> out = ApplyDeltaRule(shape, columns, strengths, fadings);
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 1.5, 2, -5, -6, 0, 0};
  REQUIRE(out.size() == expected.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    CHECK(out[i] == Near(expected[i], 1e-4));
  }
}

}  // namespace headscope
