#include "core/model/expert_choice.h"

#include <cmath>

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("each token goes to its heaviest experts", "[expert_choice]") {
  // Softmax shares of 1/7, 2/7, 4/7 and of 4/7, 1/7, 2/7.
  const std::vector<double> logits = {
      0.0, std::log(2.0), std::log(4.0), std::log(4.0), 0.0, std::log(2.0)};
  const auto loads = ChooseExperts(logits, 3, 2, false);
  REQUIRE(loads.size() == 3);
  CHECK(loads[0].tokens == std::vector<std::int64_t>{1});
  CHECK(loads[1].tokens == std::vector<std::int64_t>{0});
  CHECK(loads[2].tokens == std::vector<std::int64_t>{0, 1});
  CHECK(loads[0].weights[0] == Approx(4.0 / 7.0));
  CHECK(loads[1].weights[0] == Approx(2.0 / 7.0));
  CHECK(loads[2].weights[0] == Approx(4.0 / 7.0));
  CHECK(loads[2].weights[1] == Approx(2.0 / 7.0));
}

TEST_CASE("normalised weights of the chosen sum to one", "[expert_choice]") {
  const auto loads =
      ChooseExperts(std::vector<double>{0.0, std::log(2.0), std::log(4.0)}, 3, 2, true);
  CHECK(loads[0].tokens.empty());
  CHECK(loads[1].weights[0] == Approx(1.0 / 3.0));
  CHECK(loads[2].weights[0] == Approx(2.0 / 3.0));
}

TEST_CASE("of equal experts the first are chosen, and large logits do not overflow",
          "[expert_choice]") {
  const auto loads = ChooseExperts(std::vector<double>(4, 5000.0), 4, 2, true);
  CHECK(loads[0].weights == std::vector<double>{0.5});
  CHECK(loads[1].weights == std::vector<double>{0.5});
  CHECK(loads[2].tokens.empty());
  CHECK(loads[3].tokens.empty());
  // More than there are: all.
  CHECK(ChooseExperts(std::vector<double>{1.0, 1.0}, 2, 5, true)[1].weights ==
        std::vector<double>{0.5});
}

}  // namespace headscope
