#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

// Characters of the normalised text as tokens: what the vocabulary lacks would be "?".
std::shared_ptr<const Tokenizer> WithNormalizer(const std::string& normalizer) {
  return Parse(
      {.model = BpeJson(
           {"?", "a", "b", "e", "i", "o", "f", " ", "▁", "é", "\u0301", "\u0307", "1", "σ", "X"},
           {},
           R"(,"unk_token":"?")"),
       .normalizer = normalizer});
}

struct Case {
  std::string normalizer;
  std::string text;
  Strings pieces;
  Strings ranges;
};

TEST_CASE("normalisers change the text and remember where it comes from", "[text][normalizer]") {
  const auto test = GENERATE(values<Case>({
      {R"({"type":"Prepend","prepend":"▁"})", "ab", {"▁", "a", "b"}, {"0-0", "0-1", "1-2"}},
      {R"({"type":"Replace","pattern":{"String":" "},"content":"▁"})",
       "a b",
       {"a", "▁", "b"},
       {"0-1", "1-2", "2-3"}},
      {R"({"type":"Replace","pattern":{"Regex":"[0-9]+"},"content":"1"})",
       "a123b4",
       {"a", "1", "b", "1"},
       {"0-1", "1-4", "4-5", "5-6"}},
      {R"({"type":"Replace","pattern":{"String":"b"},"content":""})",
       "aba",
       {"a", "a"},
       {"0-1", "2-3"}},
      {R"({"type":"Replace","pattern":{"Regex":"x*"},"content":"X"})",
       "ab",
       {"X", "a", "X", "b", "X"},
       {"0-0", "0-1", "1-1", "1-2", "2-2"}},
      {R"({"type":"NFC"})", "e\u0301a", {"é", "a"}, {"0-3", "3-4"}},
      {R"({"type":"NFD"})", "aéa", {"a", "e", "\u0301", "a"}, {"0-1", "1-3", "1-3", "3-4"}},
      {R"({"type":"NFKC"})", "ﬁ①", {"f", "i", "1"}, {"0-3", "0-3", "3-6"}},
      {R"({"type":"NFKD"})", "ﬁé", {"f", "i", "e", "\u0301"}, {"0-3", "0-3", "3-5", "3-5"}},
      {R"({"type":"Lowercase"})", "AΣİ", {"a", "σ", "i", "\u0307"}, {"0-1", "1-3", "3-5", "3-5"}},
      {R"({"type":"Strip","strip_left":true,"strip_right":true})",
       " \u00a0a b\n",
       {"a", " ", "b"},
       {"3-4", "4-5", "5-6"}},
      {R"({"type":"Strip","strip_left":false,"strip_right":true})",
       " a ",
       {" ", "a"},
       {"0-1", "1-2"}},
      {R"({"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"Lowercase"},)"
       R"({"type":"Replace","pattern":{"Regex":"\\p{Mn}"},"content":""},{"type":"Prepend","prepend":"▁"}]})",
       "ÉA",
       {"▁", "e", "a"},
       {"0-0", "0-2", "2-3"}},
  }));
  CAPTURE(test.normalizer, test.text);
  const Encoding encoding = EncodeOrFail(*WithNormalizer(test.normalizer), test.text);
  CHECK(Texts(encoding) == test.pieces);
  CHECK(Ranges(encoding) == test.ranges);
}

TEST_CASE("nothing is put before an empty text", "[text][normalizer]") {
  const auto tokenizer = WithNormalizer(R"({"type":"Prepend","prepend":"▁"})");
  CHECK(EncodeOrFail(*tokenizer, "").tokens.empty());
}

TEST_CASE("a text that grows without end is refused", "[text][normalizer]") {
  // Each step makes the text a thousand times as long.
  const std::string step =
      R"({"type":"Replace","pattern":{"String":"a"},"content":")" + std::string(1000, 'a') + "\"}";
  const auto tokenizer = WithNormalizer(R"({"type":"Sequence","normalizers":[)" + step + "," +
                                        step + "," + step + "]}");
  const auto encoding = tokenizer->Encode(std::string(20, 'a'), {});
  REQUIRE_FALSE(encoding.has_value());
  CHECK(encoding.error().code == ErrorCode::kInput);
  CHECK_THAT(encoding.error().message, test::Says("shorter text"));
}

TEST_CASE("a run of marks past any use is refused, not sorted", "[text][normalizer]") {
  std::string text = "e";
  for (int i = 0; i < 20'000; ++i) {
    text += i % 2 == 0 ? "\u0301" : "\u0323";
  }
  const auto encoding = WithNormalizer(R"({"type":"NFC"})")->Encode(text, {});
  REQUIRE_FALSE(encoding.has_value());
  CHECK(encoding.error().code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope
