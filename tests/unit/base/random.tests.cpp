#include "core/base/random.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "tests/support/catch.h"

namespace headscope {
namespace {

// The expected numbers come from a second implementation of the 64-bit Mersenne twister, in Python,
// checked against the standard's 10,000th draw of the default seed.
TEST_CASE("the first draws of a seed never change", "[base][random]") {
  SECTION("uniform draws are exact") {
    RandomStream stream(42);
    CHECK(stream.Uniform() == 0.755155532954539);
    CHECK(stream.Uniform() == 0.6390313938546974);
    CHECK(stream.Uniform() == 0.7521452007480266);
    CHECK(stream.Uniform() == 0.13627268363243705);
    RandomStream zero(0);
    CHECK(zero.Uniform() == 0.1597933633704608);
  }
  SECTION("normal draws agree to the last digits of log, sine and cosine") {
    RandomStream stream(1);
    CHECK(stream.Normal() == Approx(0.35099249780849107).epsilon(1e-14));
    CHECK(stream.Normal() == Approx(0.405290193321616).epsilon(1e-14));
    CHECK(stream.Normal() == Approx(1.0859449105047105).epsilon(1e-14));
    CHECK(stream.Normal() == Approx(0.14429265930606544).epsilon(1e-14));
  }
  SECTION("whole numbers are exact") {
    RandomStream stream(42);
    std::array<std::uint64_t, 8> draws = {};
    for (std::uint64_t& draw : draws) {
      draw = stream.Below(10);
    }
    CHECK(draws == std::array<std::uint64_t, 8>{6, 4, 0, 2, 1, 8, 6, 4});
  }
}

TEST_CASE("uniform draws fill [0,1) with the right mean and variance", "[base][random]") {
  RandomStream stream(7);
  constexpr int kDraws = 100000;
  double sum = 0.0;
  double squares = 0.0;
  bool in_range = true;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = stream.Uniform();
    in_range = in_range && draw >= 0.0 && draw < 1.0;
    sum += draw;
    squares += (draw - 0.5) * (draw - 0.5);
  }
  CHECK(in_range);
  // Five standard errors: 1/sqrt(12 n), and sqrt(1/180 n).
  CHECK(std::abs(sum / kDraws - 0.5) < 5.0 / std::sqrt(12.0 * kDraws));
  CHECK(std::abs(squares / kDraws - 1.0 / 12.0) < 5.0 / std::sqrt(180.0 * kDraws));
}

TEST_CASE("normal draws have mean 0, variance 1 and normal tails", "[base][random]") {
  RandomStream stream(7);
  constexpr int kDraws = 100000;
  double sum = 0.0;
  double squares = 0.0;
  int past_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = stream.Normal();
    sum += draw;
    squares += draw * draw;
    past_two += std::abs(draw) > 2.0 ? 1 : 0;
  }
  CHECK(std::abs(sum / kDraws) < 5.0 / std::sqrt(kDraws));
  CHECK(std::abs(squares / kDraws - 1.0) < 5.0 * std::sqrt(2.0 / kDraws));
  const double share = 0.0455003;
  CHECK(std::abs(past_two / static_cast<double>(kDraws) - share) <
        5.0 * std::sqrt(share * (1.0 - share) / kDraws));
}

TEST_CASE("Below stays below its bound and favours no number", "[base][random]") {
  RandomStream stream(3);
  std::array<int, 6> counts = {};
  constexpr int kDraws = 60000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = stream.Below(counts.size());
    REQUIRE(draw < counts.size());
    ++counts[draw];
  }
  for (const int count : counts) {
    CHECK(std::abs(count - kDraws / 6) < 5.0 * std::sqrt(kDraws * (1.0 / 6.0) * (5.0 / 6.0)));
  }
  CHECK(stream.Below(1) == 0);
}

}  // namespace
}  // namespace headscope
