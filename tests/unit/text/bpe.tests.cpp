#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

TEST_CASE("the earliest merge goes first, then the leftmost", "[text][bpe]") {
  const TinyJson json{.model = BpeJson({"a", "b", "c", "ab", "bc", "abc", "aa"},
                                       {"\"b c\"", "\"a b\"", "\"a bc\"", "\"a a\""})};
  const auto tokenizer = Parse(json);
  CHECK(Texts(EncodeOrFail(*tokenizer, "abc")) == Strings{"abc"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "abab")) == Strings{"ab", "ab"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "aaa")) == Strings{"aa", "a"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "aaabc")) == Strings{"aa", "abc"});
}

TEST_CASE("both notations of merges mean the same", "[text][bpe]") {
  const Strings pieces = {"a", "b", "ab", " ", " a"};
  const auto old_way = Parse({.model = BpeJson(pieces, {"\"#version: 0.2\"", "\"a b\""})});
  const auto new_way = Parse({.model = BpeJson(pieces, {R"(["a","b"])", R"([" ","a"])"})});
  CHECK(Texts(EncodeOrFail(*old_way, "abab")) == Strings{"ab", "ab"});
  CHECK(Texts(EncodeOrFail(*new_way, "abab")) == Strings{"ab", "ab"});
  CHECK(Texts(EncodeOrFail(*new_way, "b a")) == Strings{"b", " a"});
}

TEST_CASE("unknown characters become the unknown token, one each or fused", "[text][bpe]") {
  const Strings pieces = {"[UNK]", "a"};
  const auto each = Parse({.model = BpeJson(pieces, {}, R"(,"unk_token":"[UNK]")")});
  const auto fused =
      Parse({.model = BpeJson(pieces, {}, R"(,"unk_token":"[UNK]","fuse_unk":true)")});
  const auto none = Parse({.model = BpeJson(pieces, {})});
  CHECK(Texts(EncodeOrFail(*each, "éza")) == Strings{"[UNK]", "[UNK]", "a"});
  CHECK(Ranges(EncodeOrFail(*each, "éza")) == Strings{"0-2", "2-3", "3-4"});
  CHECK(Texts(EncodeOrFail(*fused, "ézaz")) == Strings{"[UNK]", "a", "[UNK]"});
  CHECK(Ranges(EncodeOrFail(*fused, "ézaz")) == Strings{"0-3", "3-4", "4-5"});
  CHECK(Texts(EncodeOrFail(*none, "zaz")) == Strings{"a"});
}

TEST_CASE("byte fallback spells what the vocabulary lacks", "[text][bpe]") {
  const auto tokenizer = Parse({.model = BpeJson({"<unk>", "a", "<0xC3>", "<0xA9>"},
                                                 {},
                                                 R"(,"unk_token":"<unk>","byte_fallback":true)")});
  const Encoding encoding = EncodeOrFail(*tokenizer, "aéz");
  CHECK(Texts(encoding) == Strings{"a", "<0xC3>", "<0xA9>", "<unk>"});
  CHECK(Ranges(encoding) == Strings{"0-1", "1-2", "2-3", "3-4"});
  CHECK(Displays(encoding) == Strings{"a", "⟨C3⟩", "⟨A9⟩", "<unk>"});
}

TEST_CASE("prefixes and suffixes of pieces mark the inside and the end of words", "[text][bpe]") {
  const auto prefixed = Parse({.model = BpeJson({"a", "##b", "ab", "##a", "##ba"},
                                                {"\"##b ##a\"", "\"a ##b\""},
                                                R"(,"continuing_subword_prefix":"##")"),
                               .pre_tokenizer = R"({"type":"WhitespaceSplit"})"});
  CHECK(Texts(EncodeOrFail(*prefixed, "ab aba")) == Strings{"ab", "a", "##ba"});
  CHECK(Displays(EncodeOrFail(*prefixed, "aba")) == Strings{"a", "ba"});
  const auto suffixed =
      Parse({.model = BpeJson(
                 {"a", "b</w>", "ab</w>"}, {"\"a b</w>\""}, R"(,"end_of_word_suffix":"</w>")"),
             .pre_tokenizer = R"({"type":"WhitespaceSplit"})"});
  CHECK(Texts(EncodeOrFail(*suffixed, "ab aab")) == Strings{"ab</w>", "a", "ab</w>"});
  const std::vector<std::int32_t> ids = {2, 0, 2};
  CHECK(Words(suffixed->Describe(ids)) == std::vector<std::int32_t>{0, 1, 1});
  CHECK(Displays(suffixed->Describe(ids)) == Strings{"ab", "a", "ab"});
}

TEST_CASE("ignore_merges keeps a piece of the vocabulary whole", "[text][bpe]") {
  const Strings pieces = {"a", "b", "ab", "aba"};
  const auto tokenizer = Parse({.model = BpeJson(pieces, {"\"a b\""}, ",\"ignore_merges\":true")});
  CHECK(Texts(EncodeOrFail(*tokenizer, "aba")) == Strings{"aba"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "abab")) == Strings{"ab", "ab"});
}

TEST_CASE("a long run without blanks is joined as its halves are", "[text][bpe]") {
  // a^1, a^2, a^4, ... each joined from two of the one before.
  Strings pieces = {"a"};
  Strings merges;
  for (int i = 0; i < 6; ++i) {
    merges.push_back("[\"" + pieces.back() + "\",\"" + pieces.back() + "\"]");
    pieces.push_back(pieces.back() + pieces.back());
  }
  const auto tokenizer = Parse({.model = BpeJson(pieces, merges)});
  const Encoding encoding = EncodeOrFail(*tokenizer, std::string(100'003, 'a'));
  REQUIRE(encoding.tokens.size() == 100'000 / 64 + 3);  // 100,003 = 1562 * 64 + 32 + 2 + 1
  CHECK(encoding.tokens.back().text == "a");
  CHECK(encoding.tokens[1562].text == std::string(32, 'a'));
  CHECK(std::all_of(encoding.tokens.begin(), encoding.tokens.begin() + 1562, [](const Token& t) {
    return t.id == 6;
  }));
}

TEST_CASE("a stopped encoding says so", "[text][bpe]") {
  const auto tokenizer = Parse({.model = BpeJson({"a"}, {})});
  std::stop_source source;
  source.request_stop();
  EncodeOptions options;
  options.stop = source.get_token();
  const auto encoding = tokenizer->Encode("aaa", options);
  REQUIRE_FALSE(encoding.has_value());
  CHECK(encoding.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
