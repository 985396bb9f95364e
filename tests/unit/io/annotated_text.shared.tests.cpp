#include "core/io/annotated_text.h"

#include <algorithm>
#include <map>

#include "core/io/text_file.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

TEST_CASE("a treebank is read whole", "[io][conllu][shared]") {
  const auto text = ReadAnnotatedText(test::SharedData() / "ud" / "en_ewt-ud-dev.conllu");
  REQUIRE(text.has_value());
  CHECK(text->sentences.size() == 2001);
  CHECK(text->left_out == 0);
  CHECK(text->warnings.empty());
  std::map<std::string, int> counts;
  std::int64_t words = 0;
  std::int64_t apart = 0;  // words that do not stand where they should
  for (const AnnotatedSentence& sentence : text->sentences) {
    std::int64_t last = 0;
    for (const AnnotatedWord& word : sentence.words) {
      ++words;
      ++counts[word.relation];
      apart += test::FormAt(sentence, word) == word.form ? 0 : 1;
      apart += word.begin >= last ? 0 : 1;
      last = word.begin;
    }
  }
  // As the file has them: rows whose id is a number, and fields of these.
  CHECK(words == 25147);
  CHECK(counts["root"] == 2001);
  CHECK(counts["nsubj"] == 1958);
  CHECK(apart == 0);
}

TEST_CASE("GAP's texts are read whole", "[io][gap][shared]") {
  const auto text = ReadAnnotatedText(test::SharedData() / "coref" / "gap-validation.tsv");
  REQUIRE(text.has_value());
  CHECK(text->warnings.empty());
  CHECK(text->sentences.size() == 454);
  int coreferent = 0;
  for (const AnnotatedSentence& sentence : text->sentences) {
    INFO(sentence.id);
    REQUIRE(sentence.mentions.size() == 3);
    for (const Mention& mention : sentence.mentions) {
      CHECK(mention.first <= mention.head);
      CHECK(mention.head <= mention.last);
      coreferent += mention.entity == "1" ? 1 : 0;
    }
  }
  // As the file has them: 454 pronouns, 187 A and 205 B that are TRUE.
  CHECK(coreferent == 454 + 187 + 205);
}

TEST_CASE("WinoBias' sentences are read whole", "[io][wino_bias][shared]") {
  for (const char* name : {"anti_stereotyped_type1",
                           "anti_stereotyped_type2",
                           "pro_stereotyped_type1",
                           "pro_stereotyped_type2"}) {
    INFO(name);
    const std::filesystem::path path =
        test::SharedData() / "coref" / (std::string(name) + ".txt.dev");
    const auto text = ReadAnnotatedText(path);
    REQUIRE(text.has_value());
    CHECK(text->warnings.empty());
    CHECK(text->sentences.size() == 396);
    std::size_t mentions = 0;
    for (const AnnotatedSentence& sentence : text->sentences) {
      mentions +=
          static_cast<std::size_t>(std::ranges::count(sentence.mentions, "1", &Mention::entity));
      // Who is not meant is known, too.
      CHECK(std::ranges::any_of(sentence.mentions,
                                [](const Mention& mention) { return mention.entity != "1"; }));
    }
    const auto bytes = ReadTextFile(path);
    REQUIRE(bytes.has_value());
    CHECK(mentions == static_cast<std::size_t>(std::ranges::count(*bytes, '[')));
  }
}

}  // namespace
}  // namespace headscope
