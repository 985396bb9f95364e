#include "core/compare/aligned_axis.h"

#include <string>
#include <vector>

#include "core/compare/union_axis.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

using test::Words;

using Places = std::vector<std::int32_t>;

TEST_CASE("A word that is exchanged stands in the other's place", "[compare]") {
  const auto a = Words({"the", "old", "man", "sat"});
  const auto b = Words({"the", "young", "man", "sat"});
  const auto axis = AlignAxis(*a, *b, {});
  REQUIRE(axis.has_value());
  CHECK(axis->place_a == Places{0, 1, 2, 3});
  CHECK(axis->place_b == Places{0, 1, 2, 3});
  CHECK(axis->names[1] == "old / young");
  CHECK_FALSE(axis->has_special);
  CHECK(axis->note.find("Exchanged: “old / young”.") != std::string::npos);
}

TEST_CASE("A word that is put in is no place, and what follows keeps its own", "[compare]") {
  const auto a = Words({"the", "man", "sat"});
  const auto b = Words({"the", "old", "man", "sat"});
  const auto axis = AlignAxis(*a, *b, {});
  REQUIRE(axis.has_value());
  CHECK(axis->names == std::vector<std::string>{"the", "man", "sat"});
  CHECK(axis->place_a == Places{0, 1, 2});
  CHECK(axis->place_b == Places{0, kNoPlace, 1, 2});
  CHECK(axis->has_special);
  CHECK(axis->note.find("B alone has “old”.") != std::string::npos);
}

TEST_CASE("Words are matched in order, as many as there can be", "[compare]") {
  const auto a = Words({"x", "a", "b", "c", "d", "a"});
  const auto b = Words({"a", "b", "y", "z", "d"});
  const auto axis = AlignAxis(*a, *b, {});
  REQUIRE(axis.has_value());
  CHECK(axis->names == std::vector<std::string>{"a", "b", "d"});
  CHECK(axis->place_a == Places{kNoPlace, 0, 1, kNoPlace, 2, kNoPlace});
  CHECK(axis->place_b == Places{0, 1, kNoPlace, kNoPlace, 2});
}

TEST_CASE("A word of other pieces is one place, one of as many is a place for each", "[compare]") {
  Encoding a = *Words({"sail", "or", "s"});
  a.tokens[1].word = a.tokens[0].word;
  Encoding b = *Words({"sailor", "s"});
  const auto whole = AlignAxis(a, b, {});
  REQUIRE(whole.has_value());
  CHECK(whole->place_a == Places{0, 0, 1});
  CHECK(whole->place_b == Places{0, 1});
  const auto pieces = AlignAxis(a, a, {});
  REQUIRE(pieces.has_value());
  CHECK(pieces->place_a == Places{0, 1, 2});
}

TEST_CASE("Texts without a word in common are refused, and so is a stopped one", "[compare]") {
  const auto none = AlignAxis(*Words({"a", "b"}), *Words({"c", "d", "e"}), {});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::kInput);
  CHECK(none.error().message.find("no word in common") != std::string::npos);
  const auto empty = AlignAxis(*Words({}), *Words({"c"}), {});
  CHECK_FALSE(empty.has_value());
  std::stop_source stop;
  stop.request_stop();
  const auto many_a = test::NumberedWords(64, "a");
  const auto many_b = test::NumberedWords(64, "b");
  const auto stopped = AlignAxis(*many_a, *many_b, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  const auto too_many = AlignAxis(
      *test::NumberedWords(5000, "a"), *test::NumberedWords(5000, "b"), std::stop_token());
  REQUIRE_FALSE(too_many.has_value());
  CHECK(too_many.error().code == ErrorCode::kInput);
}

TEST_CASE("The union has every token once, in the order of both", "[compare]") {
  const auto a = Words({"the", "big", "man", "sat", "the"});
  const auto b = Words({"oh", "the", "man", "very", "sat", "the"});
  const auto axis = AlignAxis(*a, *b, {});
  REQUIRE(axis.has_value());
  const UnionAxis all = Unite(*axis, *a, *b);
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < all.size(); ++i) {
    labels.push_back(all.Label(i));
  }
  CHECK(labels == std::vector<std::string>{
                      "oh (B)", "the (1)", "big (A)", "man", "very (B)", "sat", "the (6)"});
  CHECK(all.only_a == 1);
  CHECK(all.only_b == 2);
  CHECK(all.places[6].a == std::vector<std::int64_t>{4});
  CHECK(all.places[6].b == std::vector<std::int64_t>{5});
  const auto same = ShareAxis({.a = *a, .b = *a});
  REQUIRE(same.has_value());
  const UnionAxis plain = Unite(*same, *a, *a);
  CHECK(plain.size() == 5);
  CHECK(plain.only_a + plain.only_b == 0);
}

}  // namespace
}  // namespace headscope
