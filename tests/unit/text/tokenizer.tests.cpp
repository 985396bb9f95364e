#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

constexpr const char* kTemplate =
    R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},)"
    R"({"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],)"
    R"("pair":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},)"
    R"({"SpecialToken":{"id":"[SEP]","type_id":0}},{"Sequence":{"id":"B","type_id":1}},)"
    R"({"SpecialToken":{"id":"[SEP]","type_id":1}}],"special_tokens":{)"
    R"("[CLS]":{"id":"[CLS]","ids":[1],"tokens":["[CLS]"]},)"
    R"("[SEP]":{"id":"[SEP]","ids":[2],"tokens":["[SEP]"]}}})";

TinyJson Words3() {
  return {.model = WordLevelJson({"[UNK]", "[CLS]", "[SEP]", "the", "cat", "."}),
          .pre_tokenizer = R"({"type":"Whitespace"})",
          .post_processor = kTemplate,
          .added_tokens = R"([{"id":0,"content":"[UNK]","special":true},)"
                          R"({"id":1,"content":"[CLS]","special":true},)"
                          R"({"id":2,"content":"[SEP]","special":true}])"};
}

TEST_CASE("word level gives each word its id and unknown words one", "[text][tokenizer]") {
  const auto tokenizer = Parse(Words3());
  EncodeOptions options;
  options.add_special = false;
  const Encoding encoding = EncodeOrFail(*tokenizer, "the dog. cat", options);
  CHECK(encoding.Ids() == Ids{3, 0, 5, 4});
  CHECK(Ranges(encoding) == Strings{"0-3", "4-7", "7-8", "9-12"});
  CHECK(Words(encoding) == Ids{0, 1, 2, 3});
  CHECK_FALSE(encoding.tokens[1].special);  // it stands for a word of the text
  CHECK(tokenizer->vocabulary_size() == 6);
}

TEST_CASE("special tokens go around and between as the template says", "[text][tokenizer]") {
  const auto tokenizer = Parse(Words3());
  const Encoding single = EncodeOrFail(*tokenizer, "the cat");
  CHECK(Texts(single) == Strings{"[CLS]", "the", "cat", "[SEP]"});
  CHECK(Words(single) == Ids{-1, 0, 1, -1});
  CHECK(single.tokens.front().special);
  CHECK(EncodeOrFail(*tokenizer, "").Ids() == Ids{1, 2});
  CHECK(tokenizer->Spell(single.Ids()) == "the cat");
  CHECK(tokenizer->Spell(Ids{1, 2}).empty());

  EncodeOptions options;
  options.pair = "cat the";
  const Encoding pair = EncodeOrFail(*tokenizer, "the", options);
  CHECK(pair.Ids() == Ids{1, 3, 2, 4, 3, 2});
  CHECK(Words(pair) == Ids{-1, 0, -1, 1, 2, -1});
  CHECK(Ranges(pair) == Strings{"0-0", "0-3", "0-0", "0-3", "4-7", "0-0"});
  Ids segments;
  for (const Token& token : pair.tokens) {
    segments.push_back(token.segment);
  }
  CHECK(segments == Ids{0, 0, 0, 1, 1, 1});
  options.add_special = false;
  CHECK(EncodeOrFail(*tokenizer, "the", options).Ids() == Ids{3, 4, 3});
}

TEST_CASE("a post-processor that only trims offsets adds nothing", "[text][tokenizer]") {
  TinyJson json = Words3();
  json.post_processor =
      R"({"type":"Sequence","processors":[{"type":"ByteLevel"},)" + std::string(kTemplate) + "]}";
  CHECK(EncodeOrFail(*Parse(json), "the").Ids() == Ids{1, 3, 2});
  json.post_processor = R"({"type":"ByteLevel","trim_offsets":true})";
  CHECK(EncodeOrFail(*Parse(json), "the").Ids() == Ids{3});
}

TEST_CASE("an unknown word without an unknown token is an error", "[text][tokenizer]") {
  const auto tokenizer = Parse({.model = WordLevelJson({"a"})});
  const auto encoding = tokenizer->Encode("b", {});
  REQUIRE_FALSE(encoding.has_value());
  CHECK(encoding.error().code == ErrorCode::kInput);
  CHECK_THAT(encoding.error().message, test::Says("\"b\""));
}

TEST_CASE("broken UTF-8 is refused with its place", "[text][tokenizer]") {
  const auto tokenizer = Parse(Words3());
  const std::vector<std::pair<std::string, std::string>> cases = {{"ab\xff", "byte 2"},
                                                                  {"a\xe2\x80", "byte 1"},
                                                                  {"\xc0\xaf", "byte 0"},
                                                                  {"é\xed\xa0\x80", "byte 2"},
                                                                  {"\x80", "byte 0"},
                                                                  {"\xf4\x90\x80\x80", "byte 0"}};
  for (const auto& [text, place] : cases) {
    const auto encoding = tokenizer->Encode(text, {});
    REQUIRE_FALSE(encoding.has_value());
    CHECK(encoding.error().code == ErrorCode::kInput);
    CHECK_THAT(encoding.error().message, test::Says(place));
  }
  EncodeOptions options;
  options.pair = "ok\xfe";
  const auto pair = tokenizer->Encode("ok", options);
  REQUIRE_FALSE(pair.has_value());
  CHECK_THAT(pair.error().message, test::Says("second text"));
  const auto large = tokenizer->Encode(std::string(5'000'000, 'a'), {});
  REQUIRE_FALSE(large.has_value());
  CHECK(large.error().code == ErrorCode::kInput);
}

TEST_CASE("added tokens are found before anything else", "[text][tokenizer]") {
  TinyJson json{.model = WordLevelJson({"[UNK]", "a", "A", "<s>"}),
                .normalizer = R"({"type":"Lowercase"})",
                .pre_tokenizer = R"({"type":"WhitespaceSplit"})"};
  const auto encode = [&](const std::string& flags, const std::string& text) {
    json.added_tokens = R"([{"id":4,"content":"AB",)" + flags + "}]";
    return EncodeOrFail(*Parse(json), text);
  };
  // As given: only the capitals. Normalised: any case.
  CHECK(encode(R"("normalized":false)", "aABabA").Ids() == Ids{1, 4, 0});
  CHECK(encode(R"("normalized":true)", "aABabA").Ids() == Ids{1, 4, 4, 1});
  CHECK(Ranges(encode(R"("normalized":true)", "aABabA")) == Strings{"0-1", "1-3", "3-5", "5-6"});
  CHECK(encode(R"("normalized":false,"single_word":true)", "AB aAB AB,").Ids() == Ids{4, 0, 4, 0});
  CHECK(Ranges(encode(R"("normalized":false,"lstrip":true)", "a  AB a")) ==
        Strings{"0-1", "1-5", "6-7"});
  CHECK(Ranges(encode(R"("normalized":false,"rstrip":true)", "a  AB \na")) ==
        Strings{"0-1", "3-7", "7-8"});
  CHECK(encode(R"("normalized":false)", "AB").tokens[0].text == "AB");
  CHECK(encode(R"("special":true)", "AB").tokens[0].special);
  CHECK_FALSE(encode(R"("special":false)", "AB").tokens[0].special);
}

TEST_CASE("added tokens that are blank are found among the blanks of others", "[text][tokenizer]") {
  TinyJson json{.model = WordLevelJson({"[UNK]", "a"}),
                .pre_tokenizer = R"({"type":"WhitespaceSplit"})"};
  const auto ids = [&](const std::string& flags, const std::string& text) {
    json.added_tokens = R"([{"id":2,"content":"<x>","special":true,"rstrip":true},)"
                        R"({"id":3,"content":"\t","special":true)" +
                        flags + "}]";
    return EncodeOrFail(*Parse(json), text).Ids();
  };
  CHECK(ids("", "<x>\t a") == Ids{2, 3, 1});
  CHECK(ids("", "<x> a\t") == Ids{2, 1, 3});
  CHECK(ids(R"(,"rstrip":true)", "\t\t a") == Ids{3, 3, 1});
  // It would be nothing but what the one before took.
  CHECK(ids(R"(,"lstrip":true,"rstrip":true)", "\t\t a") == Ids{3, 1});
  CHECK(ids(R"(,"lstrip":true)", "<x> \ta") == Ids{2, 1});
}

TEST_CASE("of added tokens the leftmost wins, then the longest", "[text][tokenizer]") {
  const auto tokenizer =
      Parse({.model = WordLevelJson({"[UNK]"}),
             .added_tokens = R"([{"id":1,"content":"<e"},{"id":2,"content":"<eo>"},)"
                             R"({"id":3,"content":"o>x"}])"});
  CHECK(EncodeOrFail(*tokenizer, "<eo>x<e").Ids() == Ids{2, 0, 1});
  CHECK(tokenizer->vocabulary_size() == 4);
}

TEST_CASE("ids past the vocabulary are shown as numbers", "[text][tokenizer]") {
  const auto tokenizer = Parse(Words3());
  const Ids ids = {1, 3, 77, -5};
  const Encoding encoding = tokenizer->Describe(ids);
  CHECK(Texts(encoding) == Strings{"[CLS]", "the", "77", "-5"});
  CHECK(Words(encoding) == Ids{-1, 0, 1, 2});
  CHECK(encoding.tokens[0].special);
  CHECK(Displays(DescribeAsNumbers(ids)) == Strings{"1", "3", "77", "-5"});
  CHECK(Words(DescribeAsNumbers(ids)) == Ids{0, 1, 2, 3});
}

}  // namespace
}  // namespace headscope
