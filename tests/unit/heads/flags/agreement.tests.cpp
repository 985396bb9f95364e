#include "core/heads/flags/agreement.h"

#include <cmath>
#include <random>

#include "tests/support/catch.h"

namespace headscope {
namespace {

using Said = std::vector<std::string>;

// As many heads as the table says, of categories "a", "b", ...
std::pair<Said, Said> FromTable(const std::vector<std::vector<int>>& table) {
  std::pair<Said, Said> both;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < table[i].size(); ++j) {
      for (int n = 0; n < table[i][j]; ++n) {
        both.first.emplace_back(1, static_cast<char>('a' + i));
        both.second.emplace_back(1, static_cast<char>('a' + j));
      }
    }
  }
  return both;
}

Kappa Of(const std::vector<std::vector<int>>& table) {
  const auto [first, second] = FromTable(table);
  return CohensKappa(first, second);
}

TEST_CASE("kappa of two times two is what the formula says", "[heads][agreement]") {
  // p_o = (20 + 15) / 50 = .7, p_e = .5 * .6 + .5 * .4 = .5
  const Kappa kappa = Of({{20, 5}, {10, 15}});
  CHECK(kappa.heads == 50);
  CHECK(kappa.alike == 35);
  CHECK(kappa.observed == Approx(0.7));
  CHECK(kappa.chance == Approx(0.5));
  REQUIRE(kappa.kappa);
  CHECK(*kappa.kappa == Approx(0.4));
  // A = .4 (1 - 1.1 * .6)^2 + .3 (1 - .9 * .6)^2, B = .36 (.1 * 1.1^2 + .2 * .9^2), C = .1^2;
  // the categories' shares are .5 and .5 of the first, .6 and .4 of the second.
  const double a = 0.4 * std::pow(1 - 1.1 * 0.6, 2) + 0.3 * std::pow(1 - 0.9 * 0.6, 2);
  const double b = 0.36 * (0.1 * std::pow(0.6 + 0.5, 2) + 0.2 * std::pow(0.4 + 0.5, 2));
  CHECK(*kappa.error == Approx(std::sqrt(a + b - 0.01) / (0.5 * std::sqrt(50.0))));
  CHECK(kappa.table == std::vector<std::int64_t>{20, 5, 10, 15});
}

TEST_CASE("kappa and its error are those of Fleiss, Cohen and Everitt's example",
          "[heads][agreement]") {
  // 200 cases in three categories: kappa .429, its variance .002885.
  const Kappa kappa = Of({{106, 10, 4}, {22, 28, 10}, {2, 12, 6}});
  CHECK(*kappa.kappa == Approx(0.429).margin(0.0005));
  CHECK(*kappa.error * *kappa.error == Approx(0.002885).margin(0.000005));
}

TEST_CASE("kappa is 1 where all is alike, 0 as by chance, below where less", "[heads][agreement]") {
  const Kappa alike = Of({{7, 0, 0}, {0, 2, 0}, {0, 0, 1}});
  CHECK(*alike.kappa == Approx(1.0));
  CHECK(*alike.error == Approx(0.0).margin(1e-12));
  const Kappa independent = Of({{8, 4}, {4, 2}});
  CHECK(*independent.kappa == Approx(0.0).margin(1e-12));
  const Kappa opposite = Of({{0, 5}, {5, 0}});
  CHECK(*opposite.kappa == Approx(-1.0));
}

TEST_CASE("where kappa does not exist there is none, and a sentence says why",
          "[heads][agreement]") {
  const Kappa nothing = CohensKappa({}, {});
  CHECK_FALSE(nothing.kappa);
  CHECK_FALSE(nothing.error);
  CHECK(nothing.why_not.find("no heads") != std::string::npos);
  CHECK(KappaWords(nothing) == nothing.why_not);
  const Kappa same = CohensKappa(Said(5, ""), Said(5, ""));
  CHECK_FALSE(same.kappa);
  CHECK(same.observed == 1.0);
  CHECK(same.chance == 1.0);
  CHECK(KappaWords(same).starts_with("no kappa: alike on 5 of 5 heads (100 %)"));
  // One side of one category only: by chance they are alike as often as they are.
  const Kappa one_sided = CohensKappa(Said{"a", "a", "a"}, Said{"a", "a", "b"});
  CHECK(*one_sided.kappa == Approx(0.0).margin(1e-12));
}

TEST_CASE("no flag is a category, and sides may be exchanged", "[heads][agreement]") {
  const Said first = {"", "", "induction", "positional", "my own"};
  const Said second = {"", "positional", "induction", "positional", ""};
  const Kappa one = CohensKappa(first, second);
  const Kappa other = CohensKappa(second, first);
  CHECK(one.alike == 3);
  CHECK(*one.kappa == Approx(*other.kappa));
  CHECK(*one.error == Approx(*other.error));
  CHECK(one.said == Said{"", "induction", "my own", "positional"});
}

TEST_CASE("the error is the spread of kappa over samples of heads", "[heads][agreement]") {
  const std::vector<double> shares = {0.3, 0.1, 0.05, 0.35, 0.05, 0.15};  // of 2 x 3 cells
  std::mt19937_64 random(7);
  std::discrete_distribution<int> cell(shares.begin(), shares.end());
  constexpr int kSamples = 2000;
  constexpr int kHeads = 400;
  double sum = 0.0;
  double squares = 0.0;
  double errors = 0.0;
  for (int sample = 0; sample < kSamples; ++sample) {
    Said first;
    Said second;
    for (int head = 0; head < kHeads; ++head) {
      const int at = cell(random);
      first.emplace_back(1, static_cast<char>('a' + at / 3));
      second.emplace_back(1, static_cast<char>('a' + at % 3));
    }
    const Kappa kappa = CohensKappa(first, second);
    sum += *kappa.kappa;
    squares += *kappa.kappa * *kappa.kappa;
    errors += *kappa.error;
  }
  const double mean = sum / kSamples;
  const double spread = std::sqrt(squares / kSamples - mean * mean);
  // The spread of 2,000 samples is itself known to 1.6 %: four times that.
  CHECK(errors / kSamples == Approx(spread).epsilon(0.065));
}

TEST_CASE("kappa is told with its numbers and chance", "[heads][agreement]") {
  CHECK(KappaWords(Of({{20, 5}, {10, 15}})) ==
        "kappa .40 ± .13: alike on 35 of 50 heads (70 %), by chance 50 %");
  CHECK(KappaWords(Of({{0, 5}, {5, 0}})).starts_with("kappa -1.00 ± .00"));
}

}  // namespace
}  // namespace headscope
