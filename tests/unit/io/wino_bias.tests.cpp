#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

const std::string kGoodLine = "[The baker] paid the miller because [she] owed money.\n";

TEST_CASE("brackets of a line mean the same, and are no part of the text", "[io][wino_bias]") {
  const Result<AnnotatedText> text = ParseWinoBias(
      "\xEF\xBB\xBF"
      "12 [The baker] paid the miller because [she] owed money. \r\n\r\n" +
          kGoodLine,
      "a.txt");
  REQUIRE(text.has_value());
  CHECK(text->warnings.empty());
  REQUIRE(text->sentences.size() == 2);
  const AnnotatedSentence& sentence = text->sentences[0];
  CHECK(sentence.id == "12");
  CHECK(sentence.text == "The baker paid the miller because she owed money.");
  CHECK(text->sentences[1].text == sentence.text);
  CHECK(text->sentences[1].line == 3);
  CHECK(text->sentences[1].id.empty());
  REQUIRE(sentence.mentions.size() == 2);
  CHECK(sentence.mentions[0].first == 0);
  CHECK(sentence.mentions[0].last == 1);
  CHECK(sentence.mentions[0].head == 1);
  CHECK(sentence.mentions[1].head == 6);
  CHECK(sentence.words[6].form == "she");
  CHECK(sentence.mentions[0].entity == sentence.mentions[1].entity);
  for (const AnnotatedWord& word : sentence.words) {
    CHECK(test::FormAt(sentence, word) == word.form);
  }
}

TEST_CASE("who is not meant is known from the lines that mean them", "[io][wino_bias]") {
  const Result<AnnotatedText> text = ParseWinoBias(
      "1 [The baker] paid the miller because [she] owed money.\n"
      "2 The baker paid [the miller] because [he] was poor.\n"
      "3 [The baker] met the baker, the girl and [her] friend.\n",
      "a.txt");
  REQUIRE(text.has_value());
  const std::vector<Mention>& first = text->sentences.at(0).mentions;
  REQUIRE(first.size() == 3);
  CHECK(first[0].entity == "1");
  CHECK(first[1].entity == "the miller");
  CHECK(first[1].head == 4);
  CHECK(first[2].entity == "1");
  const std::vector<Mention>& second = text->sentences.at(1).mentions;
  REQUIRE(second.size() == 3);
  CHECK(second[0].entity == "the baker");
  CHECK(second[0].first == 0);
  CHECK(second[1].entity == second[2].entity);
  // The same words again are no other; who is never meant is not known.
  CHECK(text->sentences.at(2).mentions.size() == 2);
}

TEST_CASE("brackets inside a word cut it", "[io][wino_bias]") {
  const Result<AnnotatedText> text =
      ParseWinoBias("[The baker]'s son met 2 girls who like [her].\n", "a.txt");
  REQUIRE(text.has_value());
  const AnnotatedSentence& sentence = text->sentences.at(0);
  CHECK(sentence.words[1].form == "baker");
  CHECK(sentence.words[2].form == "'s");
  CHECK(sentence.text == "The baker's son met 2 girls who like her.");
}

TEST_CASE("wrong brackets are told with line and column", "[io][wino_bias]") {
  const auto warning = [](const std::string& line) {
    const Result<AnnotatedText> text = ParseWinoBias(kGoodLine + line + "\n" + kGoodLine, "a.txt");
    REQUIRE(text.has_value());
    CHECK(text->sentences.size() == 2);
    CHECK(text->left_out == 1);
    REQUIRE(text->warnings.size() == 1);
    return text->warnings[0];
  };
  const auto said = [](int column, const std::string& words) {
    return "a.txt: line 2, column " + std::to_string(column) + ": " + words +
           "; the sentence is left out";
  };
  CHECK(warning("7 [The [baker] left]") == said(8, "a bracket opens within another"));
  CHECK(warning("7 baker] left [him]") == said(8, "a bracket closes that has not opened"));
  CHECK(warning("[The baker] left [him") == said(1, "a bracket opens and does not close"));
  CHECK(warning("[ ] left [him]") == said(1, "there is no word between two brackets"));
  CHECK(warning("The baker left.") == said(1, "expected brackets around two mentions or more"));
  CHECK(warning("[\xC3\xA9t\xC3\xA9] \xFF [it]") ==
        said(7, "byte 0xff is not UTF-8; save the file as UTF-8"));
}

TEST_CASE("lines with brackets are told from a plain text", "[io][wino_bias]") {
  const test::TempFolder folder;
  CHECK(ReadAnnotatedText(folder.Write("a.dev", kGoodLine)).has_value());
  CHECK(ReadAnnotatedText(folder.Write("b.txt", "The baker left ] [ at noon.\n")).error().code ==
        ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace headscope
