#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/temporary_folder.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

const Strings kPieces = {"[UNK]", "un", "##aff", "##able", "##a", "##ff", "una", "the", "é", "##é"};

std::string WordPieceJson(const Strings& pieces, const std::string& more = "") {
  return "{\"type\":\"WordPiece\",\"vocab\":" + VocabJson(pieces) + more + "}";
}

TEST_CASE("WordPiece takes the longest piece from the left", "[text][word_piece]") {
  const auto tokenizer =
      Parse({.model = WordPieceJson(kPieces), .pre_tokenizer = R"({"type":"WhitespaceSplit"})"});
  const Encoding encoding = EncodeOrFail(*tokenizer, "unaffable the un éé");
  // "una" is longer than "un", and "##ff" is what follows it.
  CHECK(Texts(encoding) == Strings{"una", "##ff", "##able", "the", "un", "é", "##é"});
  CHECK(Displays(encoding) == Strings{"una", "ff", "able", "the", "un", "é", "é"});
  CHECK(Ranges(encoding) == Strings{"0-3", "3-5", "5-9", "10-13", "14-16", "17-19", "19-21"});
  CHECK(Words(encoding) == std::vector<std::int32_t>{0, 0, 0, 1, 2, 3, 3});
}

TEST_CASE("a word that does not come out whole is unknown as a whole", "[text][word_piece]") {
  const auto tokenizer =
      Parse({.model = WordPieceJson(kPieces), .pre_tokenizer = R"({"type":"WhitespaceSplit"})"});
  const Encoding encoding = EncodeOrFail(*tokenizer, "unaffx able the");
  CHECK(Texts(encoding) == Strings{"[UNK]", "[UNK]", "the"});
  CHECK(Ranges(encoding) == Strings{"0-6", "7-11", "12-15"});

  const auto without = ParseTokenizerJson(TinyJson{.model = WordPieceJson({"a"})}.Text(), "tiny");
  REQUIRE(without.has_value());
  const auto failed = (*without)->Encode("b", {});
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code == ErrorCode::kInput);
}

TEST_CASE("a word of too many characters is unknown", "[text][word_piece]") {
  const std::string limit = R"(,"max_input_chars_per_word":3)";
  const auto tokenizer = Parse({.model = WordPieceJson({"[UNK]", "é", "##é"}, limit),
                                .pre_tokenizer = R"({"type":"WhitespaceSplit"})"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "ééé éééé")) == Strings{"é", "##é", "##é", "[UNK]"});
}

TEST_CASE("prefix and unknown token are those of the file", "[text][word_piece]") {
  const auto tokenizer =
      Parse({.model = WordPieceJson({"?", "a", "~b"},
                                    R"(,"unk_token":"?","continuing_subword_prefix":"~")")});
  CHECK(Texts(EncodeOrFail(*tokenizer, "ab")) == Strings{"a", "~b"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "ba")) == Strings{"?"});
}

TEST_CASE("vocab.txt opens as BERT", "[text][loader]") {
  const TemporaryFolder folder;
  folder.Write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\r\ncafe\nCafé\n##s\n.\n中\n");
  auto tokenizer = LoadTokenizer(folder.path());
  REQUIRE(tokenizer.has_value());
  REQUIRE(*tokenizer != nullptr);
  EncodeOptions options;
  options.pair = "中.";
  const Encoding pair = EncodeOrFail(**tokenizer, "Cafés.", options);
  CHECK(Texts(pair) == Strings{"[CLS]", "cafe", "##s", ".", "[SEP]", "中", ".", "[SEP]"});
  std::vector<std::int32_t> segments;
  for (const Token& token : pair.tokens) {
    segments.push_back(token.segment);
  }
  CHECK(segments == std::vector<std::int32_t>{0, 0, 0, 0, 0, 1, 1, 1});
  CHECK(Ranges(pair) == Strings{"0-0", "0-5", "5-6", "6-7", "0-0", "0-3", "3-4", "0-0"});
  CHECK(pair.tokens[0].special);
  CHECK(Texts(EncodeOrFail(**tokenizer, "a [SEP] café")) ==
        Strings{"[CLS]", "[UNK]", "[SEP]", "cafe", "[SEP]"});

  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class":"BertTokenizerFast","do_lower_case":false})");
  tokenizer = LoadTokenizer(folder.path());
  REQUIRE(tokenizer.has_value());
  CHECK(Texts(EncodeOrFail(**tokenizer, "Café cafe")) == Strings{"[CLS]", "Café", "cafe", "[SEP]"});

  folder.Write("tokenizer_config.json",
               R"({"tokenizer_class":NaN,"do_lower_case":false,
                   "model_max_length":1000000000000000019884624838656})");
  tokenizer = LoadTokenizer(folder.path());
  REQUIRE(tokenizer.has_value());
  CHECK(Texts(EncodeOrFail(**tokenizer, "Café cafe")) == Strings{"[CLS]", "Café", "cafe", "[SEP]"});

  folder.Write("tokenizer_config.json", R"({"tokenizer_class":"BertJapaneseTokenizer"})");
  REQUIRE_FALSE(LoadTokenizer(folder.path()).has_value());

  folder.Write("tokenizer_config.json", "{}");
  folder.Write("vocab.txt", "[UNK]\na\n");
  const auto no_cls = LoadTokenizer(folder.path());
  REQUIRE_FALSE(no_cls.has_value());
  CHECK_THAT(no_cls.error().message, test::Says("[CLS]"));

  folder.Write("vocab.txt", "[UNK]\na\na\n");
  CHECK_FALSE(LoadTokenizer(folder.path()).has_value());
  folder.Write("vocab.txt", "[UNK]\n\xff\n");
  CHECK_FALSE(LoadTokenizer(folder.path()).has_value());
}

}  // namespace
}  // namespace headscope
