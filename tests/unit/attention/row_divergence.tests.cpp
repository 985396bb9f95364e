#include "core/attention/row_divergence.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/random.h"
#include "tests/reference/row_divergence_reference.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

// Roundings of float32 along the way, of terms that are never below 0: near t = 1/2 the two
// logarithms cancel to a quarter of their sum, which makes 1.5e-6; sixteen additions in a lane
// make another 1e-6.
constexpr double kRelative = 4e-6;

std::vector<float> RandomRow(std::int64_t count, double sharpness, RandomStream* random) {
  std::vector<double> scores;
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    scores.push_back(std::exp(sharpness * random->Normal()));
    sum += scores.back();
  }
  std::vector<float> row;
  for (const double score : scores) {
    row.push_back(static_cast<float>(score / sum));
  }
  return row;
}

double Fast(const std::vector<float>& one, const std::vector<float>& two) {
  return RowDivergence(one.data(), two.data(), std::ssize(one));
}

TEST_CASE("The fast divergence of two rows is the formula's", "[attention][divergence]") {
  RandomStream random(1);
  for (const std::int64_t count : {2, 3, 7, 16, 31, 33, 100, 257, 1000}) {
    for (const double sharpness : {0.01, 1.0, 5.0, 20.0}) {
      CAPTURE(count, sharpness);
      const std::vector<float> one = RandomRow(count, sharpness, &random);
      const std::vector<float> two = RandomRow(count, sharpness, &random);
      const double expected = RowDivergenceReference(one, two);
      CHECK(Fast(one, two) == test::Near(expected, kRelative * expected + 1e-15));
      CHECK(Fast(one, two) == Fast(two, one));
      CHECK(Fast(one, two) <= std::numbers::ln2 * (1.0 + kRelative));
    }
  }
}

// Own sums cancel down to a hundredth of the rows' weight, each with the roundings of a logarithm and
// of the additions of a lane.
constexpr double kRelativeFromSums = 5e-5;

double FromSums(const std::vector<float>& one, const std::vector<float>& two) {
  return RowDivergence(one.data(),
                       two.data(),
                       std::ssize(one),
                       SumOfLogs(one.data(), std::ssize(one)),
                       SumOfLogs(two.data(), std::ssize(two)));
}

TEST_CASE("A divergence from the rows' own sums is the formula's", "[attention][divergence]") {
  RandomStream random(4);
  for (const std::int64_t count : {1, 2, 15, 16, 17, 47, 256, 257, 1000}) {
    for (const double sharpness : {0.01, 0.2, 1.0, 5.0, 20.0}) {
      CAPTURE(count, sharpness);
      std::vector<float> one = RandomRow(count, sharpness, &random);
      std::vector<float> two = RandomRow(count, sharpness, &random);
      // Several rows after one another.
      const std::vector<float> more = RandomRow(count, sharpness, &random);
      one.insert(one.end(), more.begin(), more.end());
      two.insert(two.end(), more.rbegin(), more.rend());
      const double expected = RowDivergenceReference(one, two);
      CHECK(FromSums(one, two) == test::Near(expected, kRelativeFromSums * expected + 1e-15));
      CHECK(FromSums(one, one) == 0.0);
      double logs = 0.0;
      double size = 0.0;
      for (const float cell : one) {
        const auto x = static_cast<double>(cell);
        logs += x > 0.0 ? x * std::log(x) : 0.0;
        size += x > 0.0 ? std::abs(x * std::log(x)) : 0.0;
      }
      CHECK(SumOfLogs(one.data(), std::ssize(one)) == test::Near(logs, 1e-6 * size));
    }
  }
  const std::vector<float> dark = {1.0F, 0.0F, 1e-38F, 1e-20F, 0.0F};
  const std::vector<float> other = {0.0F, 1.0F, 0.0F, 3e-20F, 1e-12F};
  CHECK(FromSums(dark, other) == test::Near(std::numbers::ln2, kRelativeFromSums));
  CHECK(SumOfLogs(dark.data(), 2) == 0.0);
}

TEST_CASE("Equal rows lie exactly 0 apart, rows that share nothing ln 2",
          "[attention][divergence]") {
  RandomStream random(2);
  for (const std::int64_t count : {1, 5, 64, 999}) {
    const std::vector<float> row = RandomRow(count, 3.0, &random);
    CHECK(Fast(row, row) == 0.0);
    CHECK(RowDivergenceReference(row, row) == 0.0);
    std::vector<float> one(static_cast<std::size_t>(count + 1), 0.0F);
    std::vector<float> two = one;
    one.front() = 1.0F;
    two.back() = 1.0F;
    CHECK(Fast(one, two) == test::Near(std::numbers::ln2, kRelative));
    CHECK(RowDivergenceReference(one, two) == test::Near(std::numbers::ln2, 1e-15));
  }
}

TEST_CASE("Rows that are nearly alike keep their digits", "[attention][divergence]") {
  RandomStream random(3);
  const std::vector<float> one = RandomRow(200, 1.0, &random);
  std::vector<float> two = one;
  for (std::size_t i = 0; i < two.size(); ++i) {
    two[i] *= i % 2 == 0 ? 1.001F : 0.999F;
  }
  // The square of the difference, in parts of eight times the weight: to the fourth power of 1e-3.
  double expected = 0.0;
  for (std::size_t i = 0; i < two.size(); ++i) {
    const double apart = static_cast<double>(one[i]) - static_cast<double>(two[i]);
    expected += apart * apart / (4.0 * (static_cast<double>(one[i]) + static_cast<double>(two[i])));
  }
  CHECK(Fast(one, two) == test::Near(expected, (kRelative + 1e-6) * expected));
}

TEST_CASE("Cells that are dark or nearly so give what they should", "[attention][divergence]") {
  const std::vector<float> one = {1.0F, 0.0F, 1e-38F, 1e-20F, 0.0F};
  const std::vector<float> two = {1.0F, 0.0F, 0.0F, 3e-20F, 1e-12F};
  const double expected = RowDivergenceReference(one, two);
  CHECK(Fast(one, two) == test::Near(expected, kRelative * expected));
  CHECK(Fast({0.0F, 0.0F}, {0.0F, 0.0F}) == 0.0);
}

}  // namespace
}  // namespace headscope
