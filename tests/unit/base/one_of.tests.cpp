#include "core/base/one_of.h"

#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

struct Word {
  std::string text;
};
struct Count {
  int number = 0;
};
using Either = OneOf<Word, Count>;

std::string Told(const Either& either) {
  struct Teller {
    std::string told = {};
    void operator()(const Word& word) { told = "word " + word.text; }
    void operator()(const Count& count) { told = "count " + std::to_string(count.number); }
  } teller;
  either.Visit(teller);
  return teller.told;
}

TEST_CASE("one of two kinds is found as what it is alone", "[base][one_of]") {
  const Either word = Word{"head"};
  REQUIRE(word.As<Word>() != nullptr);
  CHECK(word.As<Word>()->text == "head");
  CHECK(word.As<Count>() == nullptr);
  CHECK(Told(word) == "word head");
  CHECK(Told(Count{8}) == "count 8");
}

TEST_CASE("a copy is the same, and what it was made of lives as long as one of them",
          "[base][one_of]") {
  std::vector<Either> kept;
  {
    const Either first = Word{std::string(100, 'a')};
    kept.push_back(first);
    kept.emplace_back(Count{2});
  }
  kept[1] = kept[0];
  kept.erase(kept.begin());
  CHECK(kept[0].As<Word>()->text == std::string(100, 'a'));
  static_assert(!std::is_constructible_v<Either, int>);
}

}  // namespace
}  // namespace headscope
