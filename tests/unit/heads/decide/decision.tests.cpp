#include "core/heads/decide/decision.h"

#include <cmath>

#include "core/base/digits.h"
#include "core/base/random.h"
#include "core/heads/decide/statistics.h"
#include "core/heads/scan/scan.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

const HeadsOfScan kOneHead{.layers = 1, .heads = 1};

// Sequences with these means and controls, ten rows each; chance: as the control, unless it is given.
MetricSums SumsOf(const std::vector<double>& means,
                  double control,
                  std::optional<double> given_chance = {}) {
  const double chance = given_chance.value_or(control);
  MetricSums sums;
  sums.heads.resize(1);
  for (const double mean : means) {
    sums.rows += 10;
    ++sums.sequences;
    AddMembers({.score = 10.0 * mean,
                .chance = 10.0 * chance,
                .mean = mean,
                .mean_square = mean * mean,
                .difference = mean - control,
                .difference_square = (mean - control) * (mean - control),
                .above_chance = mean - chance,
                .above_chance_square = (mean - chance) * (mean - chance)},
               &sums.heads[0]);
  }
  return sums;
}

Suggestion Decide(const GroupSums& groups, std::optional<double> twin = {}) {
  return DecideShare(groups, *FindMetric("induction"), kOneHead, 0, 100, twin);
}

std::vector<double> Around(double mean, double spread, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(mean + (i % 2 == 0 ? spread : -spread));
  }
  return values;
}

}  // namespace

TEST_CASE("tails of Student's distribution are those of the tables", "[heads]") {
  for (const auto& [t, freedom] : {std::pair(8.7, 9), std::pair(5.9, 19), std::pair(5.0, 39)}) {
    INFO(freedom);
    CHECK(StudentTail(t - 0.05, freedom) > 0.01 / 1728);
    CHECK(StudentTail(t + 0.05, freedom) < 0.01 / 1728);
  }
  CHECK(std::abs(StudentTail(2.093024, 19) - 0.025) < 1e-6);
  CHECK(std::abs(StudentTail(2.262157, 9) - 0.025) < 1e-6);
  CHECK(std::abs(StudentTail(-2.262157, 9) - 0.975) < 1e-6);
  CHECK(std::abs(NormalTail(1.959964) - 0.025) < 1e-6);
}

TEST_CASE("a role is strong where score, lift and error say so", "[heads]") {
  CHECK(Decide({SumsOf(Around(0.9, 0.02, 10), 0.05)}).verdict == Verdict::kStrong);
  // Below the threshold; far over it, but the control has as much.
  CHECK(Decide({SumsOf(Around(0.3, 0.02, 10), 0.05)}).verdict == Verdict::kNone);
  CHECK(Decide({SumsOf(Around(0.9, 0.02, 10), 0.88)}).verdict == Verdict::kNone);
  // So uncertain that its lift may be nothing.
  CHECK(Decide({SumsOf(Around(0.7, 0.28, 10), 0.05)}).verdict == Verdict::kNone);
  CHECK(Decide({SumsOf(Around(0.41, 0.05, 10), 0.05)}).verdict == Verdict::kBorderline);
  CHECK(Decide({SumsOf(Around(0.39, 0.05, 10), 0.05)}).verdict == Verdict::kBorderline);
  CHECK(Decide({SumsOf(Around(0.9, 0.02, 4), 0.05)}).verdict == Verdict::kCannotSay);
  // A twin as good, or nearly.
  CHECK(Decide({SumsOf(Around(0.9, 0.02, 10), 0.05)}, 0.87).verdict == Verdict::kNone);
  CHECK(Decide({SumsOf(Around(0.9, 0.02, 10), 0.05)}, 0.2).verdict == Verdict::kStrong);
}

TEST_CASE("a share must clear its chance as it must clear its control", "[heads]") {
  // One token again and again: even attention finds as much.
  const Suggestion even = Decide({SumsOf(Around(0.901, 0.01, 20), 0.05, 0.895)});
  CHECK(even.verdict == Verdict::kNone);
  CHECK(even.p_corrected.value_or(0.0) == 1.0);
  CHECK(Decide({SumsOf(Around(0.901, 0.01, 20), 0.05, 0.70)}).verdict == Verdict::kStrong);
  CHECK(Decide({SumsOf(Around(0.901, 0.01, 20), 0.70, 0.05)}).verdict == Verdict::kStrong);
  CHECK(Decide({SumsOf(Around(0.901, 0.01, 20), 0.05, 0.80)}).verdict == Verdict::kNone);
  CHECK(Decide({SumsOf(Around(0.901, 0.01, 20), 0.80, 0.05)}).verdict == Verdict::kNone);
  // Near the threshold, and no more than chance.
  CHECK(Decide({SumsOf(Around(0.41, 0.05, 20), 0.05, 0.05)}).verdict == Verdict::kBorderline);
  CHECK(Decide({SumsOf(Around(0.41, 0.05, 20), 0.05, 0.42)}).verdict == Verdict::kNone);
}

TEST_CASE("of several periods the one that says least decides", "[heads]") {
  const MetricSums high = SumsOf(Around(0.9, 0.02, 10), 0.05);
  const MetricSums low = SumsOf(Around(0.1, 0.02, 10), 0.05);
  CHECK(Decide({high, high}).verdict == Verdict::kStrong);
  CHECK(Decide({high, low}).verdict == Verdict::kNone);
  CHECK(Decide({high, SumsOf(Around(0.9, 0.02, 3), 0.05)}).verdict == Verdict::kCannotSay);
  CHECK(std::abs(Decide({low, high}).score - 0.1) < 1e-12);
  CHECK(Decide({high, MetricSums()}).verdict == Verdict::kStrong);
}

TEST_CASE("a mass of a quarter is never strong, and the interval covers the truth", "[heads]") {
  // Mixtures of a perfect pattern and even attention, with noise between sequences.
  RandomStream random(11);
  int covered = 0;
  int strong = 0;
  constexpr int kSeeds = 400;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::vector<double> means;
    for (int i = 0; i < 20; ++i) {
      means.push_back(0.25 + 0.08 * random.Normal());
    }
    const MetricSums sums = SumsOf(means, 0.03);
    const HeadScore score = ScoreOf(sums, *FindMetric("induction"), 0);
    covered += std::abs(*score.score - 0.25) <= 2.093024 * *score.error ? 1 : 0;
    strong += Decide({sums}).verdict == Verdict::kStrong ? 1 : 0;
  }
  CHECK(strong == 0);
  // 95 % of 400 is 380; fewer than 360 has a chance of one in ten thousand.
  CHECK(covered >= 360);
}

TEST_CASE("an error that two digits cannot show is said to be small, not none", "[heads]") {
  CHECK(WithError(0.54, 0.004) == ".54 ± < .01");
  CHECK(WithError(0.54, 0.0051) == ".54 ± .01");
  CHECK(WithError(0.54, 0.0) == ".54 ± < .01");
  CHECK(WithError(1.25, 0.25) == "1.25 ± .25");
  CHECK(WithError(-0.001, std::nullopt) == ".00");
}

TEST_CASE("kappa is how far a share gets from its control towards 1", "[heads]") {
  CHECK(KappaOf(0.75, 0.5) == 0.5);
  CHECK(KappaOf(0.5, 0.5) == 0.0);
  CHECK(KappaOf(1.0, 0.25) == 1.0);
  CHECK(KappaOf(0.25, 0.5) == -0.5);
  CHECK_FALSE(KappaOf(0.5, std::nullopt).has_value());
  CHECK_FALSE(KappaOf(std::nullopt, 0.5).has_value());
  CHECK_FALSE(KappaOf(1.0, 1.0).has_value());
  HeadScore score;
  score.score = 0.75;
  score.chance = 0.5;
  CHECK_FALSE(KappaOf(score).has_value());  // chance is no control
  score.control = 0.5;
  CHECK(KappaOf(score) == 0.5);
}

TEST_CASE("a suggestion says its numbers in a sentence", "[heads]") {
  const Suggestion found = Decide({SumsOf(Around(0.93, 0.01, 20), 0.02)}, 0.04);
  CHECK(found.why ==
        "L0H0 puts .93 ± < .01 of its attention on the token after the earlier copy; chance .02, "
        "best shuffled copy .04 (200 rows in 20 sequences)");
  CHECK(found.p_corrected.value_or(1.0) < 1e-6);
  CHECK(found.control_kind == "chance");
}

}  // namespace headscope
