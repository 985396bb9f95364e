#include "app/state/inspect/pair_words.h"

#include <limits>

#include "tests/support/catch.h"

namespace headscope {
namespace {

ScoreParts SomeParts() {
  ScoreParts parts;
  parts.products = {3.0, -1.0, 0.5};
  parts.dot = 2.5;
  parts.scale = 0.5;
  parts.capped = 1.25;
  parts.score = 1.25;
  parts.largest = 2.25;
  parts.exponential = 0.3679;
  parts.sum = 2.0;
  parts.weight = 0.18394;
  return parts;
}

TEST_CASE("a pair is told from its products to its weight", "[state][pair]") {
  const auto steps = StepsOfPair(SomeParts(), "old (4)");
  REQUIRE(steps.size() == 4);
  CHECK(steps[0] == PairStep{"sum of 3 products: 3.5000 above 0, -1.0000 below", "2.5000"});
  CHECK(steps[1] == PairStep{"times the scale 0.5", "1.2500"});
  CHECK(steps[2] == PairStep{"exp of it less the row's largest score, 2.2500", "0.3679"});
  CHECK(steps[3] ==
        PairStep{"softmax: divided by 2, the sum over the row of “old (4)”", "0.183940"});
}

TEST_CASE("cap, bias, positions and sink are steps where the model has them", "[state][pair]") {
  ScoreParts parts = SomeParts();
  parts.softcap = 30.0;
  parts.bias = -0.25;
  parts.positions = 0.5;
  parts.score = 1.5;
  parts.sink = 0.4;
  const auto steps = StepsOfPair(parts, "old");
  REQUIRE(steps.size() == 7);
  CHECK(steps[2].what == "capped: 30 tanh(x / 30)");
  CHECK(steps[3] == PairStep{"bias of the distance -0.2500", "1.0000"});
  CHECK(steps[4] == PairStep{"products with positions +0.5000", "1.5000"});
  CHECK(steps[6].what.find("of which its sink takes 0.4000") != std::string::npos);
  parts.score = -std::numeric_limits<double>::infinity();
  CHECK(StepsOfPair(parts, "old").back() ==
        PairStep{"masked: this query does not see this key", "0"});
}

}  // namespace
}  // namespace headscope
