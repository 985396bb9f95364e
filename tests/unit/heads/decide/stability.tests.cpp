#include "core/heads/decide/stability.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/base/random.h"
#include "core/heads/decide/statistics.h"
#include "tests/support/catch.h"
#include "tests/support/relation_score.h"

namespace headscope {
namespace {

// Sentence i has one case, in which the heads of right[i] are right.
std::vector<PairCase> CasesOf(const std::vector<std::vector<std::size_t>>& right) {
  std::vector<PairCase> cases(right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    cases[i].sentence = static_cast<std::int64_t>(i);
    cases[i].relation = "obj";
    cases[i].right.assign(1, 0);
    for (const std::size_t head : right[i]) {
      SetBit(head, &cases[i].right);
    }
  }
  return cases;
}

constexpr HeadsOfScan kTwoHeads{.layers = 1, .heads = 2};

std::size_t PlaceOfInduction() {
  return static_cast<std::size_t>(FindMetric("induction") - AllMetrics().data());
}

struct Shown {  // by the second head in one sequence
  std::size_t group = 0;
  std::int64_t rows = 10;
  float score = 0.0F;
  float control = 0.0F;
  float chance = 0.0F;
};

// Backwards: they come by length, not by place.
KeptSequences SequencesOf(const std::vector<Shown>& shown) {
  KeptSequences kept;
  for (std::size_t i = shown.size(); i-- > 0;) {
    SequenceMeans one{.place = 2 * i, .group = shown[i].group, .metrics = {}};
    one.metrics.push_back({.metric = PlaceOfInduction(),
                           .rows = shown[i].rows,
                           .score = {0.0F, shown[i].score},
                           .control = {0.5F, shown[i].control},
                           .control_rows = shown[i].rows,
                           .chance = {0.0F, shown[i].chance}});
    kept.push_back(std::make_shared<const SequenceMeans>(std::move(one)));
  }
  return kept;
}

Suggestion Stable(const std::vector<Shown>& shown, Verdict verdict, std::int64_t tests) {
  std::vector<Suggestion> found(1);
  found[0].head = {0, 1};
  found[0].metric = "induction";
  found[0].verdict = verdict;
  AddStability(SequencesOf(shown), kTwoHeads, tests, {}, &found);
  return found[0];
}

// The decision of HEADS as its formula stands, over the sequences that are listed.
Verdict SlowVerdict(const std::vector<Shown>& drawn, double tests) {
  const double threshold = FindMetric("induction")->threshold;
  Verdict least = Verdict::kStrong;
  for (std::size_t group = 0; group < 2; ++group) {
    std::vector<double> x;
    std::vector<double> d;
    std::vector<double> c;
    double sum = 0.0;
    double rows = 0.0;
    for (const Shown& one : drawn) {
      if (one.group == group) {
        x.push_back(static_cast<double>(one.score));
        d.push_back(x.back() - static_cast<double>(one.control));
        c.push_back(x.back() - static_cast<double>(one.chance));
        sum += x.back() * static_cast<double>(one.rows);
        rows += static_cast<double>(one.rows);
      }
    }
    const auto count = static_cast<double>(x.size());
    const auto mean_of = [&](const std::vector<double>& of) {
      return std::accumulate(of.begin(), of.end(), 0.0) / count;
    };
    const auto error_of = [&](const std::vector<double>& of) {
      double square = 0.0;
      for (const double one : of) {
        square += (one - mean_of(of)) * (one - mean_of(of));
      }
      return std::sqrt(square / (count - 1.0) / count);
    };
    const double score = sum / rows;
    const auto freedom = static_cast<std::int64_t>(x.size()) - 1;
    const bool straddles = StudentTail(std::abs(score - threshold) / error_of(x), freedom) >= 0.025;
    const auto lifts = [&](const std::vector<double>& of) {
      return tests * StudentTail((mean_of(of) - 0.1) / error_of(of), freedom) <= 0.01;
    };
    const bool is_above = mean_of(d) > 0.0 && mean_of(c) > 0.0;
    const Verdict own = straddles && is_above                        ? Verdict::kBorderline
                        : score >= threshold && lifts(d) && lifts(c) ? Verdict::kStrong
                                                                     : Verdict::kNone;
    least = std::min(least, own);
  }
  return least;
}

TEST_CASE("a role's stability is what deciding over each list of drawn sequences gives",
          "[heads][stability]") {
  RandomStream random(7);
  int between = 0;
  for (const double centre : {0.42, 0.5, 0.56, 0.62}) {
    std::vector<Shown> shown;
    for (std::size_t i = 0; i < 30; ++i) {
      shown.push_back({i / 18,
                       static_cast<std::int64_t>(3 + random.Below(20)),
                       static_cast<float>(centre + 0.4 * (random.Uniform() - 0.5)),
                       static_cast<float>(0.2 * random.Uniform()),
                       static_cast<float>(0.3 * random.Uniform())});
    }
    for (const Verdict verdict : {Verdict::kBorderline, Verdict::kStrong}) {
      RandomStream draws(1);
      int again = 0;
      for (int draw = 0; draw < kBootstraps; ++draw) {
        std::vector<Shown> drawn;
        for (const auto& [first, count] : {std::pair(0, 18), std::pair(18, 12)}) {
          for (int i = 0; i < count; ++i) {
            drawn.push_back(shown[static_cast<std::size_t>(first) +
                                  draws.Below(static_cast<std::uint64_t>(count))]);
          }
        }
        again += SlowVerdict(drawn, 50.0) >= verdict ? 1 : 0;
      }
      const Suggestion found = Stable(shown, verdict, 50);
      REQUIRE(found.stability);
      CHECK(*found.stability == Approx(static_cast<double>(again) / kBootstraps));
      between += again > 10 && again < kBootstraps - 10 ? 1 : 0;
    }
  }
  CHECK(between >= 2);  // else nothing was asked
}

TEST_CASE("a role's stability is the chance that a draw decides alike", "[heads][stability]") {
  // All attention in 14 of 20 sequences, none in the others: X ~ B(20, .7) of a draw have it. Of 13
  // on the interval of X / 20 lies above .4 (12: .60 - 2.09 x .112 = .365) and the lift's bound at .01
  // above .1: P(X >= 13) = .772. An interval that holds .4, or a strong one, has X >= 5: nearly 1.
  std::vector<Shown> shown(20);
  for (std::size_t i = 0; i < 14; ++i) {
    shown[i].score = 1.0F;
  }
  const Suggestion strong = Stable(shown, Verdict::kStrong, 1);
  REQUIRE(strong.stability);
  const double error = std::sqrt(0.772 * 0.228 / kBootstraps);
  CHECK(std::abs(*strong.stability - 0.772) < 4.0 * error);
  CHECK(strong.why.starts_with("; strong again in "));
  CHECK(strong.why.ends_with(" % of 200 draws of the sequences"));
  CHECK(Stable(shown, Verdict::kBorderline, 1).stability == 1.0);
  CHECK(Stable(shown, Verdict::kStrong, 1).stability == strong.stability);
  // Where no sequence was kept there is nothing to draw.
  CHECK_FALSE(Stable({}, Verdict::kStrong, 1).stability);
}

TEST_CASE("a role of a place is as stable as its control lies above chance", "[heads][stability]") {
  // All attention there in every sequence, and in 12 of 20 with another token there, too: X ~ B(20, .6)
  // of a draw. From 10 on these reach .5, and their bound lies far enough above chance (10: .5 - .1 -
  // 2.54 x .115 = .108): P(X >= 10) = .872.
  const auto stability_of = [](std::int64_t control_rows) {
    KeptSequences kept;
    for (std::size_t i = 0; i < 20; ++i) {
      SequenceMeans one{.place = 2 * i, .group = 0, .metrics = {}};
      one.metrics.push_back(
          {.metric = static_cast<std::size_t>(FindMetric("source:+0") - AllMetrics().data()),
           .rows = 7,
           .score = {0.0F, 1.0F},
           .control = {0.0F, i < 12 ? 1.0F : 0.0F},
           .control_rows = control_rows,
           .chance = {0.1F}});
      kept.push_back(std::make_shared<const SequenceMeans>(std::move(one)));
    }
    std::vector<Suggestion> found(1);
    found[0].head = {0, 1};
    found[0].metric = "source:+0";
    found[0].verdict = Verdict::kStrong;
    AddStability(kept, kTwoHeads, 1, {}, &found);
    return found[0].stability.value();
  };
  CHECK(std::abs(stability_of(5) - 0.872) < 4.0 * std::sqrt(0.872 * 0.128 / kBootstraps));
  CHECK(stability_of(0) == 0.0);  // without a control there is no such role
}

TEST_CASE("every draw has as many sequences of each group as there are", "[heads][stability]") {
  const std::vector<std::size_t> groups = {0, 0, 0, 1, 1, 2};
  const auto drawn = DrawSequences(groups);
  REQUIRE(std::ssize(drawn) == kBootstraps);
  for (const auto& times : drawn) {
    CHECK(times[0] + times[1] + times[2] == 3);
    CHECK(times[3] + times[4] == 2);
    CHECK(times[5] == 1);
  }
}

TEST_CASE("of a long corpus sequences are kept evenly, and their controls with none",
          "[heads][stability]") {
  ProbeCorpus corpus;
  corpus.sequences.resize(1000);
  CHECK(KeepsSequence(corpus, 1, kMostKeptMeans / 1000));
  std::int64_t kept = 0;
  for (std::size_t place = 0; place < 1000; ++place) {
    kept += KeepsSequence(corpus, place, kMostKeptMeans / 100) ? 1 : 0;
  }
  CHECK(kept == 100);
  CHECK(KeepsSequence(corpus, 0, 2 * kMostKeptMeans));
}

TEST_CASE("a head that is right wherever another is, and elsewhere too, stands in every draw",
          "[heads][stability]") {
  std::vector<std::vector<std::size_t>> right(40, {2});
  for (std::size_t i = 0; i < 10; ++i) {
    right[i] = {0, 2};
  }
  const auto cases = CasesOf(right);
  const auto shares = BootstrapShares(GroupCases(cases)[0], 3);
  CHECK(shares[2] == Approx(1.0));
  CHECK(shares[0] == 0.0);
}

TEST_CASE("heads that are right alike share the draws, and all shares are one",
          "[heads][stability]") {
  const auto cases = CasesOf({{0, 1}, {0, 1}, {0, 1}, {2}});
  const auto shares = BootstrapShares(GroupCases(cases)[0], 3);
  CHECK(shares[0] == shares[1]);
  CHECK(shares[0] > shares[2]);
  CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1.0));
}

TEST_CASE("the share is the chance that a draw prefers the head", "[heads][stability]") {
  // Head 0 is right in 12 of 20 sentences, head 1 in the other 8: of 20 drawn, X ~ B(20, .6) are
  // head 0's; P(X > 10) + P(X = 10) / 2 = .814.
  std::vector<std::vector<std::size_t>> right(20, {1});
  for (std::size_t i = 0; i < 12; ++i) {
    right[i] = {0};
  }
  const auto cases = CasesOf(right);
  const auto shares = BootstrapShares(GroupCases(cases)[0], 2);
  const double error = std::sqrt(0.814 * 0.186 / kBootstraps);
  CHECK(std::abs(shares[0] - 0.814) < 4.0 * error);
  CHECK(BootstrapShares(GroupCases(cases)[0], 2) == shares);
}

}  // namespace
}  // namespace headscope
