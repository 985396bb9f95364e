#include "core/model/expert_choice.h"

#include <cmath>

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("each token goes to its heaviest experts", "[expert_choice]") {
  // Softmax shares of 1/7, 2/7, 4/7 and of 4/7, 1/7, 2/7.
  const std::vector<double> logits = {
      0.0, std::log(2.0), std::log(4.0), std::log(4.0), 0.0, std::log(2.0)};
  const auto loads = ChooseExperts(logits, 3, {.chosen = 2, .is_normalised = false});
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
      ChooseExperts(std::vector<double>{0.0, std::log(2.0), std::log(4.0)}, 3, {.chosen = 2});
  CHECK(loads[0].tokens.empty());
  CHECK(loads[1].weights[0] == Approx(1.0 / 3.0));
  CHECK(loads[2].weights[0] == Approx(2.0 / 3.0));
}

TEST_CASE("of equal experts the first are chosen, and large logits do not overflow",
          "[expert_choice]") {
  const auto loads = ChooseExperts(std::vector<double>(4, 5000.0), 4, {.chosen = 2});
  CHECK(loads[0].weights == std::vector<double>{0.5});
  CHECK(loads[1].weights == std::vector<double>{0.5});
  CHECK(loads[2].tokens.empty());
  CHECK(loads[3].tokens.empty());
  // More than there are: all.
  CHECK(ChooseExperts(std::vector<double>{1.0, 1.0}, 2, {.chosen = 5})[1].weights ==
        std::vector<double>{0.5});
}

TEST_CASE("scores by sigmoids are compared with their correction and weigh without it",
          "[expert_choice]") {
  // Sigmoids of 1/2, 2/3 and 4/5.
  const std::vector<double> logits = {0.0, std::log(2.0), std::log(4.0)};
  const std::vector<double> correction = {0.4, 0.0, 0.0};
  ExpertChoice choice{.score = RouterScore::kSigmoid, .chosen = 2, .is_normalised = false};
  auto loads = ChooseExperts(logits, 3, choice, correction);
  CHECK(loads[0].weights[0] == Approx(0.5));
  CHECK(loads[1].tokens.empty());
  CHECK(loads[2].weights[0] == Approx(0.8));
  choice.is_normalised = true;
  choice.factor = 2.5;
  loads = ChooseExperts(logits, 3, choice, correction);
  CHECK(loads[0].weights[0] == Approx(2.5 * 0.5 / 1.3));
  CHECK(loads[2].weights[0] == Approx(2.5 * 0.8 / 1.3));
}

TEST_CASE("experts are taken of the groups whose best scores sum to most", "[expert_choice]") {
  // The largest is in the first group, the larger pair in the second.
  const std::vector<double> logits = {3.0, -9.0, -9.0, 2.0, 1.0, -9.0};
  ExpertChoice choice{.score = RouterScore::kSigmoid, .chosen = 2, .groups = 2};
  choice.best_of_group = 2;
  auto loads = ChooseExperts(logits, 6, choice);
  CHECK(loads[0].tokens.empty());
  CHECK(loads[3].tokens.size() == 1);
  CHECK(loads[4].tokens.size() == 1);
  choice.best_of_group = 1;
  loads = ChooseExperts(logits, 6, choice);
  CHECK(loads[0].tokens.size() == 1);
  CHECK(loads[3].tokens.empty());
}

TEST_CASE("a sparse mixer weighs an expert among those close to it", "[expert_choice]") {
  const ExpertChoice choice{.score = RouterScore::kSparseMixer, .chosen = 2, .closeness = 0.02};
  // 10 and 9.9 are close, 5 is not; then 9.9 is alone.
  auto loads = ChooseExperts(std::vector<double>{10.0, 9.9, 5.0}, 3, choice);
  CHECK(loads[0].weights[0] == Approx(1.0 / (1.0 + std::exp(-0.1))));
  CHECK(loads[1].weights[0] == Approx(1.0));
  CHECK(loads[2].tokens.empty());
  // Differences are measured by the larger size, also of negative logits.
  loads = ChooseExperts(std::vector<double>{-1.0, -1.01, -50.0}, 3, choice);
  CHECK(loads[0].weights[0] == Approx(1.0 / (1.0 + std::exp(-0.01))));
}

TEST_CASE("an expert has room for so many tokens, and later ones get none", "[expert_choice]") {
  const std::vector<double> logits = {2.0, 1.0, 3.0, 1.0, 1.0, 4.0, 5.0, 1.0};
  const auto loads = ChooseExperts(logits, 2, {.chosen = 1, .is_normalised = false, .capacity = 2});
  CHECK(loads[0].tokens == std::vector<std::int64_t>{0, 1});
  CHECK(loads[1].tokens == std::vector<std::int64_t>{2});
  CHECK(loads[0].weights[0] == Approx(1.0 / (1.0 + std::exp(-1.0))));
}

TEST_CASE("logits are capped before they are scored", "[expert_choice]") {
  const auto loads = ChooseExperts(
      std::vector<double>{1.0, 9.0},
      2,
      {.score = RouterScore::kSigmoid, .chosen = 1, .is_normalised = false, .softcap = 2.0});
  CHECK(loads[1].weights[0] == Approx(1.0 / (1.0 + std::exp(-2.0 * std::tanh(4.5)))));
}

TEST_CASE("a correction of logits does not depend on how far their scores are apart",
          "[expert_choice]") {
  // The scores of 8 and 9 differ by less than the correction of the third, the logits by more.
  const std::vector<double> logits = {9.0, 8.0, 7.0};
  const std::vector<double> correction = {0.0, 0.0, 0.5};
  ExpertChoice choice{.score = RouterScore::kSigmoid, .chosen = 1, .is_normalised = false};
  CHECK(ChooseExperts(logits, 3, choice, correction)[2].tokens.size() == 1);
  choice.compares_logits = true;
  CHECK(ChooseExperts(logits, 3, choice, correction)[0].tokens.size() == 1);
}

}  // namespace headscope
