#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

// The pieces that a pre-tokenizer cuts, as the parts of the text they come from.
Strings Cut(const std::string& pre_tokenizer, const std::string& text) {
  const auto tokenizer = Parse({.model = WordLevelJson({"[UNK]"}), .pre_tokenizer = pre_tokenizer});
  Strings pieces;
  for (const Token& token : EncodeOrFail(*tokenizer, text).tokens) {
    pieces.push_back(text.substr(static_cast<std::size_t>(token.begin),
                                 static_cast<std::size_t>(token.end - token.begin)));
  }
  return pieces;
}

std::string SplitJson(const std::string& behavior,
                      const std::string& pattern = R"({"String":"-"})",
                      bool invert = false) {
  return R"({"type":"Split","pattern":)" + pattern + R"(,"behavior":")" + behavior +
         R"(","invert":)" + (invert ? "true" : "false") + "}";
}

TEST_CASE("Split does with its matches what each behavior says", "[text][pre_tokenizer]") {
  const std::string text = "a--b-c";
  CHECK(Cut(SplitJson("Removed"), text) == Strings{"a", "b", "c"});
  CHECK(Cut(SplitJson("Isolated"), text) == Strings{"a", "-", "-", "b", "-", "c"});
  CHECK(Cut(SplitJson("MergedWithPrevious"), text) == Strings{"a-", "-", "b-", "c"});
  CHECK(Cut(SplitJson("MergedWithNext"), text) == Strings{"a", "-", "-b", "-c"});
  CHECK(Cut(SplitJson("Contiguous"), text) == Strings{"a", "--", "b", "-", "c"});
  CHECK(Cut(SplitJson("Removed", R"({"Regex":"[a-z]"})", true), text) == Strings{"a", "b", "c"});
  CHECK(Cut(SplitJson("Isolated", R"x({"Regex":"\\w+|-(?=b)"})x"), text) ==
        Strings{"a", "-", "-", "b", "-", "c"});
  CHECK(Cut(SplitJson("Isolated", R"({"Regex":"x*"})"), "ab") == Strings{"a", "b"});
  CHECK(Cut(SplitJson("Isolated", R"({"String":""})"), "ab") == Strings{"ab"});
}

TEST_CASE("Whitespace cuts words from other signs and drops blanks", "[text][pre_tokenizer]") {
  CHECK(Cut(R"({"type":"Whitespace"})", " don't\u3000stop_me...now\n") ==
        Strings{"don", "'", "t", "stop_me", "...", "now"});
  CHECK(Cut(R"({"type":"Whitespace"})", "नमस्ते!") == Strings{"नमस्ते", "!"});
  CHECK(Cut(R"({"type":"WhitespaceSplit"})", " don't\u3000stop\n") == Strings{"don't", "stop"});
}

TEST_CASE("Punctuation and Digits cut characters of their kind", "[text][pre_tokenizer]") {
  CHECK(Cut(R"({"type":"Punctuation"})", "a$b。c") == Strings{"a", "$", "b", "。", "c"});
  CHECK(Cut(R"({"type":"Punctuation","behavior":"Removed"})", "a..b") == Strings{"a", "b"});
  CHECK(Cut(R"({"type":"Digits"})", "a12b") == Strings{"a", "12", "b"});
  CHECK(Cut(R"({"type":"Digits","individual_digits":true})", "a12½") ==
        Strings{"a", "1", "2", "½"});
}

TEST_CASE("Sequence cuts the pieces of the step before", "[text][pre_tokenizer]") {
  CHECK(Cut(R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)"
            R"({"type":"Punctuation"},{"type":"Digits"}]})",
            "ab, c3!") == Strings{"ab", ",", "c", "3", "!"});
}

TEST_CASE("blanks in patterns are those of Unicode", "[text][pre_tokenizer]") {
  // U+180E has not been a blank since Unicode 6.3; U+0085 is one.
  CHECK(Cut(SplitJson("Removed", R"({"Regex":"\\s"})"), "a\u180eb\u0085c") ==
        Strings{"a\u180eb", "c"});
  CHECK(Cut(SplitJson("Removed", R"({"Regex":"[\\s-]"})"), "a\u180eb c-d") ==
        Strings{"a\u180eb", "c", "d"});
  CHECK(Cut(SplitJson("Isolated", R"({"Regex":"^x|y$"})"), "x\nxxy\ny") ==
        Strings{"x", "\n", "x", "x", "y", "\n", "y"});
}

TEST_CASE("Metaspace marks blanks and the beginning as its scheme says", "[text][pre_tokenizer]") {
  const auto texts = [](const std::string& scheme, bool split) {
    TinyJson json{.model = WordLevelJson({"?", "▁a", "a", "▁b", "▁a▁b", "a▁b", "<s>"}, "?"),
                  .pre_tokenizer = R"({"type":"Metaspace","replacement":"▁","prepend_scheme":")" +
                                   scheme + R"(","split":)" + (split ? "true" : "false") + "}",
                  .added_tokens = R"([{"id":6,"content":"<s>","special":true}])"};
    return Texts(EncodeOrFail(*Parse(json), "a b<s>a"));
  };
  CHECK(texts("always", true) == Strings{"▁a", "▁b", "<s>", "▁a"});
  CHECK(texts("first", true) == Strings{"▁a", "▁b", "<s>", "a"});
  CHECK(texts("never", true) == Strings{"a", "▁b", "<s>", "a"});
  CHECK(texts("always", false) == Strings{"▁a▁b", "<s>", "▁a"});
  CHECK(texts("never", false) == Strings{"a▁b", "<s>", "a"});
}

TEST_CASE("a pattern that would search for ever gives up", "[text][pre_tokenizer]") {
  const auto tokenizer = Parse({.model = WordLevelJson({"[UNK]"}),
                                .pre_tokenizer = SplitJson("Removed", R"({"Regex":"(a+)+$"})")});
  const auto encoding = tokenizer->Encode(std::string(60, 'a') + "b", {});
  REQUIRE_FALSE(encoding.has_value());
  CHECK(encoding.error().code == ErrorCode::kInput);
  CHECK_THAT(encoding.error().message, test::Says("pattern gives up"));
}

TEST_CASE("patterns that cannot be used are refused by name", "[text][pre_tokenizer]") {
  const std::string pattern = GENERATE("(", "[a", "a{1}(", "\\\\C");
  const TinyJson json{.model = WordLevelJson({"[UNK]"}),
                      .pre_tokenizer = SplitJson("Removed", R"({"Regex":")" + pattern + "\"}")};
  const auto tokenizer = ParseTokenizerJson(json.Text(), "tiny");
  REQUIRE_FALSE(tokenizer.has_value());
  CHECK(tokenizer.error().code == ErrorCode::kUnsupported);
  CHECK_THAT(tokenizer.error().message, test::Says("tiny: pre_tokenizer"));
}

}  // namespace
}  // namespace headscope
