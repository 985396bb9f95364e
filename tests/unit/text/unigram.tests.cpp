#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

std::string UnigramJson(const std::string& vocab, const std::string& more = R"(,"unk_id":0)") {
  return R"({"type":"Unigram","vocab":[)" + vocab + "]" + more + "}";
}

TEST_CASE("Unigram finds the best sum of scores", "[text][unigram]") {
  const std::string vocab = R"(["<unk>",0],["a",-1],["b",-1],["ab",-1.5],["abc",-9],["c",-1],)"
                            R"(["bc",-1.4])";
  const auto tokenizer = Parse({.model = UnigramJson(vocab)});
  CHECK(Texts(EncodeOrFail(*tokenizer, "ab")) == Strings{"ab"});
  // a + bc = -2.4, ab + c = -2.5, abc = -9
  CHECK(Texts(EncodeOrFail(*tokenizer, "abc")) == Strings{"a", "bc"});
  CHECK(Ranges(EncodeOrFail(*tokenizer, "abc")) == Strings{"0-1", "1-3"});
}

TEST_CASE("unknown characters side by side are one token", "[text][unigram]") {
  const std::string vocab = R"(["<unk>",0],["a",-1])";
  const auto tokenizer = Parse({.model = UnigramJson(vocab)});
  const Encoding encoding = EncodeOrFail(*tokenizer, "axéay");
  CHECK(Texts(encoding) == Strings{"a", "<unk>", "a", "<unk>"});
  CHECK(Ranges(encoding) == Strings{"0-1", "1-4", "4-5", "5-6"});
  const auto without = Parse({.model = UnigramJson(R"(["a",-1])", "")});
  CHECK_FALSE(without->Encode("ab", {}).has_value());
}

TEST_CASE("with byte fallback unknown characters are their bytes", "[text][unigram]") {
  const std::string vocab = R"(["<unk>",0],["a",-1],["<0xC3>",-9],["<0xA9>",-9])";
  const auto tokenizer =
      Parse({.model = UnigramJson(vocab, R"(,"unk_id":0,"byte_fallback":true)")});
  CHECK(Texts(EncodeOrFail(*tokenizer, "aé")) == Strings{"a", "<0xC3>", "<0xA9>"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "aß")) == Strings{"a", "<unk>"});
}

TEST_CASE("Unigram vocabularies that make no sense are refused", "[text][bad_files]") {
  for (const std::string& model : {UnigramJson(R"(["a"])"),
                                   UnigramJson(R"(["a",-1,2])"),
                                   UnigramJson(R"(["a","b"])"),
                                   UnigramJson(R"(["a",-1])", R"(,"unk_id":1)"),
                                   std::string(R"({"type":"Unigram","unk_id":0})")}) {
    CAPTURE(model);
    const auto tokenizer = ParseTokenizerJson(TinyJson{.model = model}.Text(), "tiny");
    REQUIRE_FALSE(tokenizer.has_value());
    CHECK(tokenizer.error().code == ErrorCode::kFormat);
  }
}

TEST_CASE("scripts, fixed lengths and delimiters cut as the library does",
          "[text][pre_tokenizer]") {
  const auto cut = [](const std::string& pre_tokenizer, const std::string& text) {
    const auto tokenizer =
        Parse({.model = WordLevelJson({"[UNK]"}), .pre_tokenizer = pre_tokenizer});
    return Ranges(EncodeOrFail(*tokenizer, text));
  };
  CHECK(cut(R"({"type":"UnicodeScripts"})", " ab にカ漢 д") == Strings{"1-4", "4-14", "14-16"});
  CHECK(cut(R"({"type":"FixedLength","length":2})", "aéb") == Strings{"0-3", "3-4"});
  CHECK(cut(R"({"type":"CharDelimiterSplit","delimiter":"é"})", "aéb") == Strings{"0-1", "3-4"});
  CHECK(cut(R"({"type":"BertPreTokenizer"})", "a-b  c") == Strings{"0-1", "1-2", "2-3", "5-6"});
}

TEST_CASE("BertProcessing and RobertaProcessing surround texts", "[text][post_processor]") {
  EncodeOptions options;
  options.pair = "b";
  const auto texts = [&](const std::string& type) {
    const auto tokenizer =
        Parse({.model = WordLevelJson({"a", "b", "<s>", "</s>"}),
               .post_processor = R"({"type":")" + type + R"(","sep":["</s>",3],"cls":["<s>",2]})"});
    return Texts(EncodeOrFail(*tokenizer, "a", options));
  };
  CHECK(texts("BertProcessing") == Strings{"<s>", "a", "</s>", "b", "</s>"});
  CHECK(texts("RobertaProcessing") == Strings{"<s>", "a", "</s>", "</s>", "b", "</s>"});
}

}  // namespace
}  // namespace headscope
