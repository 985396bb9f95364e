#include "core/figure/text_shades.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/telling_maps.h"

namespace headscope {
namespace {

using test::TellingLayer;
using test::TellingWeight;

constexpr std::int64_t kQueries = 5;
constexpr std::int64_t kKeys = 7;

double Weight(std::int64_t head, std::int64_t query, std::int64_t key) {
  return static_cast<double>(TellingWeight((head * kQueries + query) * kKeys + key));
}

TEST_CASE("A word shades what it looks at, several words their sum, several heads their mean",
          "[text_shades]") {
  const auto layer = TellingLayer(3, kQueries, kKeys, {}, 128);
  const TextShades one = ShadesOf({.maps = {{layer, 1}}, .words = {3}});
  REQUIRE(one.values.size() == kKeys);
  const TextShades sum = ShadesOf({.maps = {{layer, 1}}, .words = {3, 0}});
  const TextShades mean = ShadesOf({.maps = {{layer, 0}, {layer, 2}}, .words = {3}});
  const TextShades all = ShadesOf({.maps = {{layer, 1}}});
  for (std::int64_t key = 0; key < kKeys; ++key) {
    const auto at = static_cast<std::size_t>(key);
    CHECK(one.values[at] == Approx(Weight(1, 3, key)));
    CHECK(sum.values[at] == Approx(Weight(1, 3, key) + Weight(1, 0, key)));
    CHECK(mean.values[at] == Approx((Weight(0, 3, key) + Weight(2, 3, key)) / 2.0));
    double whole = 0.0;
    for (std::int64_t query = 0; query < kQueries; ++query) {
      whole += Weight(1, query, key);
    }
    CHECK(all.values[at] == Approx(whole / kQueries));
  }
  CHECK(one.sum == Approx(std::accumulate(one.values.begin(), one.values.end(), 0.0)));
}

TEST_CASE("A word shades who looks at it", "[text_shades]") {
  const auto layer = TellingLayer(3, kQueries, kKeys, {}, 128);
  const TextShades one = ShadesOf({.maps = {{layer, 2}}, .words = {6}, .by_key = true});
  const TextShades sum =
      ShadesOf({.maps = {{layer, 2}, {layer, 0}}, .words = {6, 1}, .by_key = true});
  REQUIRE(one.values.size() == kQueries);
  for (std::int64_t query = 0; query < kQueries; ++query) {
    const auto at = static_cast<std::size_t>(query);
    CHECK(one.values[at] == Approx(Weight(2, query, 6)));
    CHECK(sum.values[at] == Approx((Weight(2, query, 6) + Weight(2, query, 1) +
                                    Weight(0, query, 6) + Weight(0, query, 1)) /
                                   2.0));
  }
}

TEST_CASE("A sink's share of the words is told", "[text_shades]") {
  const auto layer = test::MakeEven({.id = {}, .queries = 3, .keys = 3, .sink = true});
  const TextShades shades = ShadesOf({.maps = {{layer, 0}}, .words = {0, 2}});
  CHECK(shades.sink == Approx(1.0 / 2 + 1.0 / 4));
  CHECK(shades.sum + shades.sink == Approx(2.0));
  CHECK(ShadesOf({.maps = {{layer, 0}}, .words = {0}, .by_key = true}).sink == 0.0);
}

TEST_CASE("The range of sums is that of as many rows", "[text_shades]") {
  TextShades shades{.values = {0.2F, 1.4F}, .words = 3};
  CHECK(ScaleOfShades({.high = 0.5F}, shades).high == 1.5F);
  CHECK(ScaleOfShades({.range = RangeMode::kRow}, shades).high == 1.4F);
  shades.words = 1;
  CHECK(ScaleOfShades({.high = 0.5F}, shades).high == 0.5F);
  shades.words = 0;
  CHECK(ScaleOfShades({.high = 0.5F}, shades).high == 0.5F);
}

TEST_CASE("Words say whose attention shades a text", "[text_shades]") {
  const std::vector<std::string> words = {"old", "captain", "met"};
  CHECK(ShadeWords({}, 12, false) == "What all 12 words look at (mean)");
  CHECK(ShadeWords({}, 12, true) == "Who looks at all 12 words (mean)");
  CHECK(ShadeWords(std::span(words).first(1), 12, false) == "What “old” looks at");
  CHECK(ShadeWords(std::span(words).first(2), 12, false) ==
        "What “old” and “captain” look at (sum)");
  CHECK(ShadeWords(words, 12, true) == "Who looks at “old”, “captain” and “met” (sum)");
}

TEST_CASE("The difference of two shadings is word by word, and only of what is alike",
          "[text_shades]") {
  const auto layer = TellingLayer(3, kQueries, kKeys, {}, 128);
  const ShadeQuestion asked{.maps = {{layer, 1}}, .words = {3}};
  const ShadeQuestion other{.maps = {{layer, 2}}, .words = {1}};
  const TextShades now = ShadesOf(asked);
  const TextShades kept = ShadesOf(other);
  const ShadeDifference difference = DifferenceOf(asked, now, other, kept);
  REQUIRE(difference.why_not.empty());
  double largest = 0.0;
  for (std::int64_t key = 0; key < kKeys; ++key) {
    const double by = Weight(1, 3, key) - Weight(2, 1, key);
    CHECK(difference.values[static_cast<std::size_t>(key)] == Approx(by).margin(1e-6));
    largest = std::max(largest, std::abs(by));
  }
  CHECK(difference.largest == Approx(largest).margin(1e-6));
  CHECK(DifferenceOf(asked, now, asked, now).largest == 0.0F);
  const ShadeQuestion two{.maps = {{layer, 2}}, .words = {1, 2}};
  CHECK(DifferenceOf(asked, now, two, ShadesOf(two)).why_not == "Both must be of as many words.");
  const ShadeQuestion by_key{.maps = {{layer, 2}}, .words = {1}, .by_key = true};
  CHECK_FALSE(DifferenceOf(asked, now, by_key, ShadesOf(by_key)).why_not.empty());
}

}  // namespace
}  // namespace headscope
