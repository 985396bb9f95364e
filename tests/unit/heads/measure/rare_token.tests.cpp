#include <cmath>

#include "core/base/random.h"
#include "tests/support/made_rows.h"

namespace headscope {
namespace {

using test::EvenMap;
using test::Map;
using test::OneHot;
using test::PlainSequence;
using test::ReadRows;
using test::ScoreIn;

// Tokens 2 to 5 are frequent, token 40 is the rarest.
const std::vector<std::int32_t> kRareIds = {0, 2, 3, 40, 4, 5, 2, 3, 4};
constexpr std::size_t kRare = 3;

}  // namespace

TEST_CASE("a head that looks at the rarest token that it sees scores one", "[heads]") {
  for (const bool causal : {true, false}) {
    const auto look =
        OneHot(kRareIds.size(), [&](std::size_t q) { return causal && q < kRare ? 0 : kRare; });
    const HeadScore score =
        ScoreIn(ReadRows({PlainSequence(kRareIds)}, {look}, causal), "rare_token");
    INFO(causal);
    // Causal rows 5 to 8 see four others or more. Row 3, the rarest itself, asks for another one.
    CHECK(score.rows == (causal ? 4 : 8));
    CHECK(*score.score == (causal ? 1.0 : 7.0 / 8.0));
    CHECK(score.hits == score.score);
    CHECK(*score.control < 0.5);
  }
}

TEST_CASE("low confidence is enough for the rarest token, equal weights share a row", "[heads]") {
  Map faint = EvenMap(kRareIds.size(), false);
  for (std::vector<float>& row : faint) {
    row[kRare] += 0.01F;
  }
  const ProbeSequence sequence = PlainSequence(kRareIds);
  CHECK(*ScoreIn(ReadRows({sequence}, {faint}, false), "rare_token").score == 7.0 / 8.0);
  const HeadScore even =
      ScoreIn(ReadRows({sequence}, {EvenMap(kRareIds.size(), false)}, false), "rare_token");
  CHECK(std::abs(*even.score - *even.chance) < 1e-12);
  CHECK(std::abs(*even.control - *even.chance) < 1e-12);
}

TEST_CASE("no row asks for the rarest token where many are equally rare", "[heads]") {
  // Four words once each: any of them would do.
  ProbeSequence alike = PlainSequence({2, 3, 4, 5, 6, 7});
  alike.count = {1, 1, 1, 1, 9, 9};
  const Map even = EvenMap(6, false);
  CHECK_FALSE(ScoreIn(ReadRows({alike}, {even}, false), "rare_token").score.has_value());
  // Drawn tokens have no frequency.
  alike.count.clear();
  CHECK_FALSE(ScoreIn(ReadRows({alike}, {even}, false), "rare_token").score.has_value());
}

TEST_CASE("a head at a fixed distance hits the rarest token no more than its control", "[heads]") {
  std::vector<ProbeSequence> sequences;
  std::vector<Map> maps;
  RandomStream random(4);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::int32_t> ids;
    for (int k = 0; k < 24; ++k) {
      ids.push_back(static_cast<std::int32_t>(2 + random.Below(90)));
    }
    sequences.push_back(PlainSequence(std::move(ids)));
    maps.push_back(OneHot(24, [](std::size_t q) { return q >= 2 ? q - 2 : 0; }));
  }
  const HeadScore score = ScoreIn(ReadRows(sequences, maps, true), "rare_token");
  CHECK(score.rows > 500);
  CHECK(std::abs(*score.score - *score.control) < 0.08);
  CHECK(*score.score < 0.2);
}

}  // namespace headscope
