#include "app/state/compare/minimal_pair.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("the word that is exchanged stands where the other could", "[state][minimal_pair]") {
  const std::vector<std::pair<std::string, std::string>> pairs{
      // after "of the", before a mark; not "old" for "girl" after "gave the"
      {"The old captain gave the girl a map of the island, and the girl gave the old captain a map "
       "of the sea.",
       "The old captain gave the girl a map of the sea, and the girl gave the old captain a map of "
       "the sea."},
      // after "the", both long; not "girl" for "old"
      {"The old captain gave the girl a map of the island, and the girl gave it away.",
       "The old captain gave the island a map of the island, and the girl gave it away."},
      // names
      {"When Mary and John went to the store, John gave a drink to Mary.",
       "When John and John went to the store, John gave a drink to Mary."},
      // nothing in common: the first long one gives way to the last
      {"the old sailor told a story", "the old story told a story"},
  };
  for (const auto& [text, other] : pairs) {
    INFO(text);
    const auto pair = MinimalPairOf(text);
    REQUIRE(pair.has_value());
    CHECK(pair->text == other);
  }
}

TEST_CASE("what a minimal pair names is what it exchanges", "[state][minimal_pair]") {
  for (const std::string text :
       {"Der Fuß schläft, der Kopf schläft.", "猫 坐 在 垫子 上 狗 坐 在 地板 上", "x1 y2 x1 y2"}) {
    INFO(text);
    const auto pair = MinimalPairOf(text);
    REQUIRE(pair.has_value());
    CHECK(pair->given_up != pair->taken);
    const std::size_t place = text.find(pair->given_up);
    REQUIRE(place != std::string::npos);
    CHECK(text.find(pair->taken) != std::string::npos);
    CHECK(pair->text.size() == text.size() + pair->taken.size() - pair->given_up.size());
    CHECK(pair->text != text);
  }
  CHECK_FALSE(MinimalPairOf("").has_value());
  CHECK_FALSE(MinimalPairOf("a b c").has_value());
  CHECK_FALSE(MinimalPairOf("he ran").has_value());
  CHECK_FALSE(MinimalPairOf("the the The").has_value());
}

}  // namespace
}  // namespace headscope
