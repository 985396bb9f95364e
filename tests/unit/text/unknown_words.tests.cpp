#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

std::shared_ptr<const Tokenizer> KnowsTheCat() {
  return Parse({.model = WordLevelJson({"[UNK]", "the", "cat", "sat", ",", "."}),
                .normalizer = R"({"type":"Lowercase"})",
                .pre_tokenizer = R"({"type":"Whitespace"})"});
}

TEST_CASE("words that the vocabulary has are known", "[text][unknown]") {
  const Encoding encoding = EncodeOrFail(*KnowsTheCat(), "The cat, the cat sat.");
  CHECK(encoding.unknown.unknown == 0);
  CHECK(encoding.unknown.list.empty());
}

TEST_CASE("unknown words are counted each time and named once", "[text][unknown]") {
  const Encoding encoding =
      EncodeOrFail(*KnowsTheCat(), "The sailor saw the cat, the Sailor sat.\nsailor");
  CHECK(encoding.unknown.words == 9);
  CHECK(encoding.unknown.unknown == 4);
  CHECK(encoding.unknown.list == Strings{"sailor", "saw", "Sailor"});
}

TEST_CASE("the mark for what is unknown is the model's own, whatever it is called",
          "[text][unknown]") {
  // As in models of symbols: the token that begins each text stands for unknown words, too.
  const auto tokenizer = Parse(
      {.model = WordLevelJson({"<|begin|>", "a0", "a1"}, "<|begin|>"),
       .pre_tokenizer = R"({"type":"WhitespaceSplit"})",
       .post_processor =
           R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<|begin|>","type_id":0}},
              {"Sequence":{"id":"A","type_id":0}}],"pair":[{"Sequence":{"id":"A","type_id":0}},{"Sequence":{"id":"B","type_id":1}}],
              "special_tokens":{"<|begin|>":{"id":"<|begin|>","ids":[0],"tokens":["<|begin|>"]}}})",
       .added_tokens = R"([{"id":0,"content":"<|begin|>","special":true}])"});
  const Encoding known = EncodeOrFail(*tokenizer, "a0 a1 a0");
  CHECK(known.tokens.size() == 4);
  CHECK(known.unknown.unknown == 0);
  const Encoding encoding = EncodeOrFail(*tokenizer, "a0 the island a1");
  CHECK(encoding.unknown.words == 4);
  CHECK(encoding.unknown.list == Strings{"the", "island"});
}

TEST_CASE("bytes in place of a character make its word unknown", "[text][unknown]") {
  const auto tokenizer =
      Parse({.model = BpeJson({"a", "b", "<0xC3>", "<0xA9>"}, {}, R"(,"byte_fallback":true)"),
             .pre_tokenizer = R"({"type":"WhitespaceSplit"})"});
  const Encoding encoding = EncodeOrFail(*tokenizer, "ab a\xC3\xA9 b");
  CHECK(encoding.unknown.words == 3);
  CHECK(encoding.unknown.list == Strings{"a\xC3\xA9"});
}

TEST_CASE("a byte-level vocabulary knows every word", "[text][unknown]") {
  const auto tokenizer =
      Parse({.model = BpeJson(BytePieces({}), {}),
             .pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":false})"});
  const Encoding encoding =
      EncodeOrFail(*tokenizer, "any \xE5\x8C\x97\xE4\xBA\xAC \xF0\x9F\x98\x80");
  CHECK(encoding.unknown.unknown == 0);
}

TEST_CASE("words that no blanks part are told apart, and emoji count where they are unknown",
          "[text][unknown]") {
  const Encoding encoding = EncodeOrFail(
      *KnowsTheCat(), "the \xE5\x8C\x97\xE4\xBA\xAC\xE5\xA4\xA7\xE5\xAD\xA6, cat \xF0\x9F\x98\x80");
  CHECK(encoding.unknown.unknown == std::ssize(encoding.unknown.list));
  CHECK(encoding.unknown.words == 2 + encoding.unknown.unknown);
  CHECK(encoding.unknown.list.back() == "\xF0\x9F\x98\x80");
}

TEST_CASE("both texts of a pair are looked at", "[text][unknown]") {
  EncodeOptions options;
  options.pair = "dogs sat";
  const Encoding encoding = EncodeOrFail(*KnowsTheCat(), "the cat", options);
  CHECK(encoding.unknown.words == 4);
  CHECK(encoding.unknown.list == Strings{"dogs"});
}

TEST_CASE("a word without an end is cut where it is named", "[text][unknown]") {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "\xC3\xA9";
  }
  const Encoding encoding = EncodeOrFail(*KnowsTheCat(), text);
  REQUIRE(encoding.unknown.list.size() == 1);
  CHECK(encoding.unknown.list[0].size() <= 51);
  CHECK(encoding.unknown.list[0].ends_with("…"));
}

}  // namespace
}  // namespace headscope
