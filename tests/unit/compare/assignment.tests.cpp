#include "core/compare/assignment.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

std::vector<double> RandomCosts(std::int64_t count, std::uint64_t seed, std::uint64_t steps) {
  RandomStream random(seed);
  std::vector<double> costs;
  for (std::int64_t i = 0; i < count; ++i) {
    // Few different costs make many ties.
    costs.push_back(steps == 0 ? random.Uniform() : static_cast<double>(random.Below(steps)));
  }
  return costs;
}

double Total(const std::vector<double>& costs,
             std::int64_t cols,
             const std::vector<std::int64_t>& column) {
  double total = 0.0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column[row] != kUnmatched) {
      total += costs[row * static_cast<std::size_t>(cols) + static_cast<std::size_t>(column[row])];
    }
  }
  return total;
}

// The least over every order of the larger side.
double LeastByTrying(const std::vector<double>& costs, std::int64_t rows, std::int64_t cols) {
  const std::int64_t most = std::max(rows, cols);
  std::vector<std::int64_t> order(static_cast<std::size_t>(most));
  std::iota(order.begin(), order.end(), 0);
  double least = 1e300;
  do {
    double total = 0.0;
    for (std::int64_t i = 0; i < std::min(rows, cols); ++i) {
      const std::int64_t other = order[static_cast<std::size_t>(i)];
      const std::int64_t cell = rows <= cols ? i * cols + other : other * cols + i;
      total += costs[static_cast<std::size_t>(cell)];
    }
    least = std::min(least, total);
  } while (std::ranges::next_permutation(order).found);
  return least;
}

std::vector<std::int64_t> Assign(const std::vector<double>& costs,
                                 std::int64_t rows,
                                 std::int64_t cols) {
  const auto column = LeastAssignment(costs, rows, cols);
  REQUIRE(column.has_value());
  return *column;
}

TEST_CASE("The assignment costs as little as any, tried one by one", "[compare][assignment]") {
  const std::int64_t rows = GENERATE(1, 2, 3, 4, 5, 6, 7);
  const std::int64_t cols = GENERATE(1, 2, 3, 4, 5, 6, 7);
  const std::uint64_t steps = GENERATE(0U, 2U, 4U);
  const std::uint64_t trials = std::max(rows, cols) == 7 ? 5 : 20;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    CAPTURE(rows, cols, steps, seed);
    const std::vector<double> costs = RandomCosts(rows * cols, seed, steps);
    const std::vector<std::int64_t> column = Assign(costs, rows, cols);
    REQUIRE(std::ssize(column) == rows);
    std::set<std::int64_t> taken;
    for (const std::int64_t each : column) {
      if (each != kUnmatched) {
        REQUIRE(each >= 0);
        REQUIRE(each < cols);
        taken.insert(each);
      }
    }
    CHECK(std::ssize(taken) == std::min(rows, cols));
    CHECK(std::ranges::count(column, kUnmatched) == std::max<std::int64_t>(0, rows - cols));
    CHECK(Total(costs, cols, column) == test::Near(LeastByTrying(costs, rows, cols), 1e-12));
  }
}

TEST_CASE("A hidden order is found among many", "[compare][assignment]") {
  const std::int64_t count = GENERATE(40, 200);
  RandomStream random(3);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[static_cast<std::size_t>(random.Below(i + 1))]);
  }
  std::vector<double> costs = RandomCosts(count * count, 4, 0);
  for (std::int64_t row = 0; row < count; ++row) {
    costs[static_cast<std::size_t>(row * count + order[static_cast<std::size_t>(row)])] = 0.0;
  }
  CHECK(Assign(costs, count, count) == order);
}

TEST_CASE("Where it costs no more, everyone stays in place", "[compare][assignment]") {
  const std::vector<double> even(30, 0.25);
  CHECK(Assign(even, 5, 6) == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(Assign(even, 6, 5) == std::vector<std::int64_t>{0, 1, 2, 3, 4, kUnmatched});
  // Two heads alike: either could go with either.
  CHECK(Assign({0, 1, 0, 1, 0, 1, 0, 1, 0}, 3, 3) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(Assign({}, 0, 3).empty());
}

TEST_CASE("An assignment can be stopped", "[compare][assignment]") {
  std::stop_source source;
  source.request_stop();
  const auto stopped = LeastAssignment(std::vector<double>(4, 1.0), 2, 2, source.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
