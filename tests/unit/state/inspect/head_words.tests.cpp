#include "app/state/inspect/head_words.h"

#include <initializer_list>

#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

// Words, equal ones with equal ids.
std::shared_ptr<const Encoding> Spelt(const std::vector<std::string>& words) {
  Encoding text = *Words(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto first = std::ranges::find(words, words[i]) - words.begin();
    text.tokens[i].id = static_cast<std::int32_t>(first);
  }
  return std::make_shared<const Encoding>(std::move(text));
}

const auto kShip = Spelt({"the", "old", "captain", "saw", "the", "old", "ship"});

// A row of the text that looks at one key, and evenly at the others that it sees.
struct Looked {
  std::vector<float> weights;
  RowWeights row;
  Looked(const std::shared_ptr<const Encoding>& text,
         std::int64_t query,
         std::int64_t key,
         float weight)
      : weights(text->tokens.size(), 0.0F) {
    for (std::int64_t i = 0; i <= query; ++i) {
      weights[static_cast<std::size_t>(i)] =
          i == key ? weight : (1.0F - weight) / static_cast<float>(query);
    }
    row = {.query_tokens = text,
           .key_tokens = text,
           .query = query,
           .first_visible = 0,
           .last_visible = query + 1,
           .weights = weights};
  }
};

std::string Said(std::int64_t query, std::int64_t key, const HeadRole& role = {}) {
  return RowInWords(Looked(kShip, query, key, 0.92F).row, role);
}

TEST_CASE("a row says where it looks and how that token stands to its own", "[state][words]") {
  CHECK(Said(5, 2) == "“old” looks at “captain”, which followed “old” before (.92)");
  CHECK(Said(5, 1) == "“old” looks at an earlier “old” (.92)");
  CHECK(Said(5, 5) == "“old” looks at itself (.92)");
  CHECK(Said(6, 5) == "“ship” looks at “old”, the token before it (.92)");
  CHECK(Said(6, 0) == "“ship” looks at “the”, the first token (.92)");
  CHECK(Said(6, 3) == "“ship” looks at “saw”, 3 tokens before it (.92)");
  CHECK(RowInWords(Looked(kShip, 6, 3, 0.31F).row, {}) ==
        "“ship” looks most at “saw”, 3 tokens before it (.31)");
  CHECK(RowInWords(Looked(kShip, 6, 3, 0.28F).row, {}) ==
        "“ship” spreads over the 7 tokens that it sees: none has more than .28");
  CHECK(RowInWords(Looked(kShip, 0, 0, 1.0F).row, {}) == "“the” sees no other token than itself");
}

TEST_CASE("of a positional head the neighbour is told as such", "[state][words]") {
  const auto text = Spelt({"a", "a", "a"});
  const HeadRole place{.role = "positional", .metric = "previous_token"};
  CHECK(RowInWords(Looked(text, 2, 1, 0.9F).row, place) ==
        "“a” looks at “a”, the token before it (.90)");
  CHECK(RowInWords(Looked(text, 2, 1, 0.9F).row, {}) ==
        "“a” looks at “a”, which followed “a” before (.90)");
}

TEST_CASE("a sink that takes more than any token is told", "[state][words]") {
  Looked looked(kShip, 6, 3, 0.3F);
  looked.row.sink = 0.6F;
  CHECK(RowInWords(looked.row, {}).ends_with("; the head's sink takes more (.60)"));
  looked.row.sink = 0.2F;
  CHECK(RowInWords(looked.row, {}).find("sink") == std::string::npos);
}

TEST_CASE("cross-attention looks into the text", "[state][words]") {
  Looked looked(kShip, 6, 2, 0.7F);
  looked.row.query_tokens = NumberedWords(7, "t");
  CHECK(RowInWords(looked.row, {}) == "“t6” looks at “captain” in the text (.70)");
}

TEST_CASE("the row that shows a role is the one that does most of it", "[state][words]") {
  const MapView map{.layer = EvenLayer(0, 1, 7), .head = 0};
  // Even attention: the fewer keys a row sees the larger the share. “the” at 4 sees 5, “old” 6.
  CHECK(RowOfRole(map, *kShip, {.role = "induction", .metric = "induction"}) == 4);
  CHECK(RowOfRole(map, *kShip, {.role = "positional", .metric = "previous_token"}) == 1);
  CHECK(RowOfRole(map, *kShip, {.role = "induction", .metric = "", .is_flag = true}) == 4);
  CHECK_FALSE(RowOfRole(map, *kShip, {}).has_value());
  CHECK_FALSE(
      RowOfRole(map, *kShip, {.role = "my own word", .metric = "", .is_flag = true}).has_value());
  // No token occurs twice: no row asks for it.
  CHECK_FALSE(RowOfRole(map, *NumberedWords(7), {.role = "induction", .metric = ""}).has_value());
}

TEST_CASE("a head is named with its role, and a suggestion says that it is one", "[state][words]") {
  CHECK(HeadInWords({1, 3}, {}) == "L1H3");
  CHECK(HeadInWords({1, 3}, {.role = "induction", .metric = "", .is_flag = true}) ==
        "L1H3, induction");
  CHECK(HeadInWords({1, 3}, {.role = "induction", .metric = "induction"}) ==
        "L1H3, induction (suggested)");
}

}  // namespace
}  // namespace headscope::test
