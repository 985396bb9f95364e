#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/temporary_folder.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

void CheckRefused(const std::string& json, ErrorCode code, const std::string& part) {
  CAPTURE(json);
  const auto tokenizer = ParseTokenizerJson(json, "tiny");
  REQUIRE_FALSE(tokenizer.has_value());
  CHECK(tokenizer.error().code == code);
  CHECK_THAT(tokenizer.error().message, Catch::Matchers::StartsWith("tiny"));
  CHECK_THAT(tokenizer.error().message, test::Says(part));
}

TEST_CASE("what is not yet done is refused by name", "[text][bad_files]") {
  const std::string model = WordLevelJson({"a"});
  const auto check = [](const TinyJson& json, const std::string& part) {
    CheckRefused(json.Text(), ErrorCode::kUnsupported, part);
    CheckRefused(json.Text(), ErrorCode::kUnsupported, "not yet");
  };
  check({.model = R"({"type":"Bigram","vocab":{}})"}, "\"Bigram\"");
  check({.model = model, .normalizer = R"({"type":"Transliterate"})"}, "normalizer");
  check({.model = model, .pre_tokenizer = R"({"type":"Syllables"})"}, "pre_tokenizer");
  check({.model = model, .post_processor = R"({"type":"XlnetProcessing"})"}, "post_processor");
  check({.model = BpeJson({"a"}, {}, ",\"dropout\":0.1")}, "dropout");
}

TEST_CASE("files that contradict themselves are refused", "[text][bad_files]") {
  const std::vector<std::pair<std::string, std::string>> models = {
      {R"({"type":"WordLevel"})", "vocab"},
      {R"({"type":"WordLevel","vocab":{"a":-1}})", "-1"},
      {R"({"type":"WordLevel","vocab":{"a":2147483648}})", "2147483648"},
      {R"({"type":"WordLevel","vocab":{"a":1.5}})", "\"a\""},
      {R"({"type":"WordLevel","vocab":[]})", "vocab"},
      {R"({"type":7})", "type"},
      {R"("BPE")", "model"},
      {"null", "model"},
      {BpeJson({"a", "b"}, {"\"a b\""}), "\"ab\""},
      {BpeJson({"a", "aa"}, {"\"a c\""}), "\"c\""},
      {BpeJson({"a", "aa"}, {"\"a a a\""}), "\"a a a\""},
      {BpeJson({"a", "aa"}, {"\"aa\""}), "\"aa\""},
      {BpeJson({"a"}, {"[\"a\"]"}), "merge"},
      {BpeJson({"a"}, {"7"}), "merge"},
      {R"({"type":"BPE","vocab":{"a":0}})", "merges"},
  };
  for (const auto& [model, part] : models) {
    CheckRefused(TinyJson{.model = model}.Text(), ErrorCode::kFormat, part);
  }
  const std::string model = WordLevelJson({"a", "b"});
  const std::vector<std::pair<std::string, std::string>> added = {
      {R"([{"id":-5,"content":"x"}])", "-5"},
      {R"([{"content":"x"}])", "id"},
      {R"(["x"])", "added_tokens"},
      {R"([{"id":5,"content":")" + std::string(2000, 'x') + "\"}]", "2000"},
  };
  for (const auto& [tokens, part] : added) {
    CheckRefused(TinyJson{.model = model, .added_tokens = tokens}.Text(), ErrorCode::kFormat, part);
  }
  CheckRefused("", ErrorCode::kFormat, "JSON");
  CheckRefused("{\"model\":", ErrorCode::kFormat, "JSON");
  CheckRefused("[]", ErrorCode::kFormat, "object");
  CheckRefused("{\"model\":\"\xff\"}", ErrorCode::kFormat, "JSON");
}

TEST_CASE("templates that make no sense are refused", "[text][bad_files]") {
  const std::string head = R"({"type":"TemplateProcessing","single":)";
  const std::string a = R"({"Sequence":{"id":"A","type_id":0}})";
  const std::vector<std::string> templates = {
      head + "[]}",
      head + "[" + a + "," + a + "]}",
      head + R"([{"Sequence":{"id":"B","type_id":0}}]})",
      head + R"([{"SpecialToken":{"id":"<s>","type_id":0}},)" + a + "]}",
      head + R"([{"SpecialToken":{"id":"<s>","type_id":0}},)" + a +
          R"(],"special_tokens":{"<s>":{"id":"<s>","ids":[-1]}}})",
      head + R"([{"SpecialToken":{"id":"<s>","type_id":0}},)" + a +
          R"(],"special_tokens":{"<s>":{"id":"<s>","ids":[]}}})",
      head + "[" + a + "],\"pair\":[" + a + "]}",
      head + "[{}]}",
      head + "7}",
  };
  for (const std::string& json : templates) {
    CheckRefused(TinyJson{.model = WordLevelJson({"a"}), .post_processor = json}.Text(),
                 ErrorCode::kFormat,
                 "post_processor");
  }
}

TEST_CASE("sequences nested without end are refused", "[text][bad_files]") {
  std::string normalizer = R"({"type":"NFC"})";
  for (int i = 0; i < 200; ++i) {
    normalizer.insert(0, R"({"type":"Sequence","normalizers":[)");
    normalizer += "]}";
  }
  CheckRefused(TinyJson{.model = WordLevelJson({"a"}), .normalizer = normalizer}.Text(),
               ErrorCode::kUnsupported,
               "normalizer");
}

TEST_CASE("the largest id costs no more memory than the smallest", "[text][bad_files]") {
  const auto tokenizer = Parse({.model = R"({"type":"WordLevel","vocab":{"a":2147483647}})"});
  CHECK(EncodeOrFail(*tokenizer, "a").Ids() == std::vector<std::int32_t>{2147483647});
  CHECK(tokenizer->vocabulary_size() == 2147483648);
}

TEST_CASE("folders give a tokenizer, none, or a sentence", "[text][loader]") {
  const TemporaryFolder folder;
  const auto load = [&] { return LoadTokenizer(folder.path()); };
  REQUIRE(load().has_value());
  CHECK(*load() == nullptr);

  folder.Write("vocab.json", VocabJson(BytePieces({"ab", "<bos>"})));
  REQUIRE_FALSE(load().has_value());
  CHECK_THAT(load().error().message, test::Says("merges.txt is missing"));

  folder.Write("merges.txt", "#version: 0.2\r\na b\r\n");
  REQUIRE(load().has_value());
  CHECK(Texts(EncodeOrFail(**load(), "ab a")) == Strings{"ab", "Ġ", "a"});

  folder.Write("tokenizer_config.json",
               R"({"add_bos_token":true,"bos_token":{"content":"<bos>"},"add_prefix_space":true})");
  const Encoding with_bos = EncodeOrFail(**load(), "ab<bos>");
  CHECK(Texts(with_bos) == Strings{"<bos>", "Ġ", "ab", "<bos>"});
  CHECK(with_bos.tokens[3].special);
  EncodeOptions options;
  options.pair = "a";
  CHECK(Texts(EncodeOrFail(**load(), "ab", options)) ==
        Strings{"<bos>", "Ġ", "ab", "<bos>", "Ġ", "a"});

  folder.Write("tokenizer_config.json", R"({"tokenizer_class":"CLIPTokenizer"})");
  REQUIRE_FALSE(load().has_value());
  CHECK(load().error().code == ErrorCode::kUnsupported);

  // tokenizer.json goes before the two, and add_bos_token is not heard then.
  folder.Write("tokenizer_config.json", R"({"add_bos_token":true,"bos_token":"<bos>"})");
  folder.Write("tokenizer.json", TinyJson{.model = WordLevelJson({"ab"})}.Text());
  CHECK(Texts(EncodeOrFail(**load(), "ab")) == Strings{"ab"});

  const auto missing = LoadTokenizer(folder.path() / "nowhere");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace headscope
