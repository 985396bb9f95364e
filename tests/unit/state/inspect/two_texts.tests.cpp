#include "app/state/inspect/two_texts.h"

#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"

namespace headscope::test {
namespace {

TEST_CASE("a pair is two texts, and so is what a separator parts", "[state][texts]") {
  Encoding pair = *Words({"[CLS]", "a", "b", "[SEP]", "c", "[SEP]"});
  for (const std::size_t special : {0U, 3U, 5U}) {
    pair.tokens[special].special = true;
  }
  const auto by_separator = TwoTextsOf(pair);
  REQUIRE(by_separator.has_value());
  CHECK(by_separator->a == std::vector<std::int64_t>{1, 2});
  CHECK(by_separator->b == std::vector<std::int64_t>{4});
  pair.tokens[3].special = false;  // a model that says which text a token is of needs no separator
  CHECK_FALSE(TwoTextsOf(pair).has_value());
  pair.tokens[4].segment = 1;
  const auto by_segment = TwoTextsOf(pair);
  REQUIRE(by_segment.has_value());
  CHECK(by_segment->a == std::vector<std::int64_t>{1, 2, 3});
  CHECK(by_segment->b == std::vector<std::int64_t>{4});
  // Special tokens at its ends alone part nothing.
  Encoding one = *Words({"[CLS]", "a", "b", "[SEP]"});
  one.tokens[0].special = one.tokens[3].special = true;
  CHECK_FALSE(TwoTextsOf(one).has_value());
  CHECK_FALSE(TwoTextsOf({}).has_value());
}

TEST_CASE("a shading divides between two texts and special tokens", "[state][texts]") {
  const TwoTexts texts{.a = {1, 2}, .b = {4}};
  const TextShades looked_at{.values = {0.2F, 0.5F, 0.3F, 0.4F, 0.6F}, .sum = 2.0, .words = 2};
  CHECK(SharesOfTexts(texts, looked_at, false) ==
        "Of the sum, 40.0 % is on text A, 30.0 % on text B, 30.0 % on special tokens.");
  CHECK(SharesOfTexts(texts, looked_at, true) ==
        "Text A: 0.400 from each of its rows; text B: 0.600 (means).");
  CHECK(SharesOfTexts(texts, {.values = {0.2F}, .sum = 0.2}, false).empty());
}

}  // namespace
}  // namespace headscope::test
