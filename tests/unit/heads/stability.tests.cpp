#include "core/heads/stability.h"

#include <cmath>
#include <cstddef>
#include <numeric>

#include "tests/support/catch.h"

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
