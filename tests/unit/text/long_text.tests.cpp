// A megabyte of one word, or of blanks: what is quadratic would not end here.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

void CheckLong(const TinyJson& json, char character, std::size_t num_tokens) {
  const auto tokenizer = Parse(json);
  CHECK(EncodeOrFail(*tokenizer, std::string(kMegabyte, character)).tokens.size() == num_tokens);
}

TEST_CASE("a megabyte of one word is cut in one go", "[text][long]") {
  const std::vector<std::string> pieces = {"[UNK]", "x", "xx", "xxxx", "##x", "##xxxx"};
  CheckLong({.model = BpeJson(pieces, {"\"x x\"", "\"xx xx\""})}, 'x', kMegabyte / 4);
  CheckLong({.model = R"({"type":"Unigram","unk_id":0,"vocab":[["u",0],["x",-1],["xxxx",-2]]})"},
            'x',
            kMegabyte / 4);
  const std::string word_piece = R"({"type":"WordPiece","vocab":)" + VocabJson(pieces);
  CheckLong({.model = word_piece + "}"}, 'x', 1);
  CheckLong({.model = word_piece + R"(,"max_input_chars_per_word":9999999})"}, 'x', kMegabyte / 4);
}

TEST_CASE("a megabyte of blanks is cut in one go", "[text][long]") {
  const TinyJson json{.model = BpeJson({"▁", "▁▁"}, {"\"▁ ▁\""}),
                      .pre_tokenizer = R"({"type":"Metaspace","split":false})"};
  CheckLong(json, ' ', kMegabyte / 2);
  const TinyJson bytes{.model = BpeJson(BytePieces({"ĠĠ"}), {"\"Ġ Ġ\""}),
                       .pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":false})"};
  CheckLong(bytes, ' ', kMegabyte / 2);
}

TEST_CASE("a pattern that is slow everywhere ends in a sentence", "[text][long]") {
  const auto tokenizer =
      Parse({.model = WordLevelJson({"[UNK]"}),
             .pre_tokenizer =
                 R"({"type":"Split","pattern":{"Regex":"a*a*a*b|a"},"behavior":"Isolated"})"});
  const auto encoding = tokenizer->Encode(std::string(2000, 'a'), {});
  REQUIRE_FALSE(encoding.has_value());
  CHECK(encoding.error().code == ErrorCode::kInput);
  CHECK_THAT(encoding.error().message, test::Says("pattern"));
}

}  // namespace
}  // namespace headscope
