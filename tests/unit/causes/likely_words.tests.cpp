#include "core/causes/likely_words.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {

using test::Near;

TEST_CASE("The likeliest words come first, and of equals the lower id", "[causes]") {
  const std::vector<float> logits = {1.0F, 3.0F, 3.0F, 0.0F};
  const auto words = LikeliestWords(logits, 3);
  REQUIRE(words.size() == 3);
  CHECK(words[0].id == 1);
  CHECK(words[1].id == 2);
  CHECK(words[2].id == 0);
  const double sum = std::exp(1.0) + 2.0 * std::exp(3.0) + 1.0;
  CHECK(words[0].probability == Near(std::exp(3.0) / sum, 1e-12));
  CHECK(words[2].probability == Near(std::exp(1.0) / sum, 1e-12));
  CHECK(LikeliestWords(logits, 100).size() == 4);
}

TEST_CASE("A word's rank counts from 1, its loss is -log p", "[causes]") {
  const std::vector<float> logits = {1.0F, 3.0F, 3.0F, 0.0F};
  CHECK(JudgeWord(logits, 1).rank == 1);
  CHECK(JudgeWord(logits, 2).rank == 2);
  CHECK(JudgeWord(logits, 3).rank == 4);
  const ActualWord word = JudgeWord(logits, 0);
  CHECK(word.loss == Near(-std::log(word.probability), 1e-12));
  CHECK(word.loss == Near(std::log(std::exp(1.0) + 2.0 * std::exp(3.0) + 1.0) - 1.0, 1e-12));
}

TEST_CASE("Logits beyond the reach of exp still have probabilities", "[causes]") {
  const std::vector<float> logits = {20'000.0F, 19'999.0F, -20'000.0F};
  const auto words = LikeliestWords(logits, 3);
  CHECK(words[0].probability == Near(1.0 / (1.0 + std::exp(-1.0)), 1e-12));
  CHECK(words[2].probability == 0.0);
  CHECK(JudgeWord(logits, 2).loss == Near(40'000.0, 1.0));
}

}  // namespace headscope
