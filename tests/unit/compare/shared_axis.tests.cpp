#include "core/compare/shared_axis.h"

#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

struct Piece {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int32_t word = -1;
  std::int32_t segment = 0;
};

Encoding Encode(const std::string& text, const std::vector<Piece>& pieces) {
  Encoding encoding;
  for (const Piece& piece : pieces) {
    Token token;
    token.begin = piece.begin;
    token.end = piece.end;
    token.word = piece.word;
    token.segment = piece.segment;
    token.special = piece.word < 0;
    token.text = piece.word < 0 ? "[S]"
                                : text.substr(static_cast<std::size_t>(piece.begin),
                                              static_cast<std::size_t>(piece.end - piece.begin));
    token.display = token.text;
    encoding.tokens.push_back(token);
  }
  return encoding;
}

TEST_CASE("The same tokens share their axis as they are", "[compare][axis]") {
  const auto words = test::Words({"the", "cat", "the"});
  const auto axis = ShareAxis({.a = *words, .b = *words});
  REQUIRE(axis.has_value());
  CHECK(axis->names == std::vector<std::string>{"the", "cat", "the"});
  CHECK_FALSE(axis->is_by_words());
  CHECK(axis->note.empty());
}

TEST_CASE("Tokens that nobody names are taken to be the other's, and it is said",
          "[compare][axis]") {
  const auto words = test::Words({"the", "cat"});
  const auto numbers = test::Words({"0", "1"});
  for (const auto& axis :
       {ShareAxis({.a = *words, .b = *numbers}), ShareAxis({.a = *numbers, .b = *words})}) {
    REQUIRE(axis.has_value());
    CHECK(axis->names == std::vector<std::string>{"the", "cat"});
    CHECK_FALSE(axis->note.empty());
  }
}

TEST_CASE("Other tokens of one text meet at words that end at the same place", "[compare][axis]") {
  const std::string text = "don't stop  now";
  // One takes "don't" as one word, the other as two; blanks belong to the token before or after.
  const Encoding a = Encode(text, {{0, 0, -1}, {0, 5, 0}, {5, 10, 1}, {10, 15, 2}});
  const Encoding b = Encode(
      text, {{0, 3, 0}, {3, 5, 1}, {6, 8, 2}, {8, 11, 2}, {11, 12, 3}, {12, 15, 4}, {0, 0, -1}});
  const auto axis = ShareAxis({.a = a, .b = b, .text = &text});
  REQUIRE(axis.has_value());
  CHECK(axis->names == std::vector<std::string>{"don't", "stop", "now"});
  CHECK(axis->place_a == std::vector<std::int32_t>{-1, 0, 1, 2});
  CHECK(axis->place_b == std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, -1});
  CHECK(axis->has_special);
  CHECK(axis->note.find("4 tokens and 7 tokens") != std::string::npos);
}

TEST_CASE("Two texts of a pair are told apart", "[compare][axis]") {
  const std::string text = "a b";
  const std::string pair = "a b c";
  const Encoding a =
      Encode(pair, {{0, 1, 0, 0}, {2, 3, 1, 0}, {0, 1, 2, 1}, {2, 3, 3, 1}, {4, 5, 4, 1}});
  const Encoding b = Encode(pair, {{0, 3, 0, 0}, {0, 1, 1, 1}, {2, 5, 2, 1}});
  const auto axis = ShareAxis({.a = a, .b = b, .text = &text, .pair = &pair});
  REQUIRE(axis.has_value());
  CHECK(axis->names == std::vector<std::string>{"a b", "a", "b c"});
  CHECK_FALSE(axis->has_special);
}

TEST_CASE("Without a text, or where one reads more of it, the sentence says where they part",
          "[compare][axis]") {
  const std::string text = "the cat sat";
  const Encoding a = Encode(text, {{0, 3, 0}, {4, 7, 1}, {8, 11, 2}});
  const Encoding b = Encode(text, {{0, 3, 0}, {4, 6, 1}, {6, 7, 1}});
  const auto unknown = ShareAxis({.a = a, .b = b});
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == ErrorCode::kInput);
  CHECK(unknown.error().message.find("token 1 is \"cat\" in one and \"ca\"") != std::string::npos);
  const auto advised = ShareAxis({.a = a, .b = b, .advice = "take other files"});
  CHECK(advised.error().message.ends_with("; take other files"));
  const auto cut = ShareAxis({.a = a, .b = b, .text = &text});
  REQUIRE_FALSE(cut.has_value());
  CHECK(cut.error().message.find("after 2 words") != std::string::npos);
}

}  // namespace
}  // namespace headscope
