#include <tuple>

#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

const std::string kHeader =
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n";

std::string GapRow(const std::string& text,
                   const std::string& pronoun,
                   const std::string& a,
                   const std::string& b) {
  return "row-1\t" + text + "\t" + pronoun + "\t" + a + "\t" + b + "\thttp://none\n";
}

std::string MentionText(const AnnotatedSentence& sentence, const Mention& mention) {
  const std::int64_t begin = sentence.words[static_cast<std::size_t>(mention.first)].begin;
  const std::int64_t end = sentence.words[static_cast<std::size_t>(mention.last)].end;
  return sentence.text.substr(static_cast<std::size_t>(begin),
                              static_cast<std::size_t>(end - begin));
}

TEST_CASE("GAP's offsets are of characters, and coreferent mentions one entity", "[io][gap]") {
  // "é" takes two bytes and one character.
  const std::string bytes =
      kHeader + GapRow("Zo\xC3\xA9 Reed told Ann Lee's son that she was late.",
                       "she\t33",
                       "Zo\xC3\xA9 Reed\t0\tTRUE",
                       "Ann Lee\t14\tFALSE");
  const Result<AnnotatedText> text = ParseGap(bytes, "a.tsv");
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text.has_value());
  CHECK(text->warnings.empty());
  const AnnotatedSentence& sentence = text->sentences.at(0);
  CHECK(sentence.id == "row-1");
  CHECK(sentence.line == 2);
  std::string words;
  for (const AnnotatedWord& word : sentence.words) {
    CHECK(test::FormAt(sentence, word) == word.form);
    CHECK(word.head == -1);
    CHECK(word.relation.empty());
    words += word.form + "|";
  }
  CHECK(words == "Zo\xC3\xA9|Reed|told|Ann|Lee|'s|son|that|she|was|late|.|");
  REQUIRE(sentence.mentions.size() == 3);
  CHECK(MentionText(sentence, sentence.mentions[0]) == "Zo\xC3\xA9 Reed");
  CHECK(MentionText(sentence, sentence.mentions[1]) == "Ann Lee");
  CHECK(MentionText(sentence, sentence.mentions[2]) == "she");
  CHECK(sentence.mentions[0].head == 1);
  CHECK(sentence.mentions[0].entity == sentence.mentions[2].entity);
  CHECK(sentence.mentions[1].entity != sentence.mentions[2].entity);
}

TEST_CASE("a wrong row of GAP is left out with its line and column", "[io][gap]") {
  const std::string good =
      GapRow("Ann saw Eve as she left.", "she\t15", "Ann\t0\tTRUE", "Eve\t8\tFALSE");
  const auto warning = [&good](const std::string& row) {
    const Result<AnnotatedText> text = ParseGap(kHeader + row + good, "a.tsv");
    REQUIRE(text.has_value());
    CHECK(text->sentences.size() == 1);
    CHECK(text->left_out == 1);
    REQUIRE(text->warnings.size() == 1);
    return text->warnings[0];
  };
  const auto said = [](int column, const std::string& words) {
    return "a.tsv: line 2, column " + std::to_string(column) + ": " + words +
           "; the sentence is left out";
  };
  const std::string a = "Ann\t0\tTRUE";
  const std::string b = "Eve\t8\tFALSE";
  const std::string eve = "Ann saw Eve as she left.";
  CHECK(warning(GapRow(eve, "she\t16", a, b)) ==
        said(32, "\"she\" does not stand at character 16 of the text"));
  CHECK(warning(GapRow(eve, "she\tx", a, b)) ==
        said(36, "expected a number of characters, found \"x\""));
  CHECK(warning(GapRow(eve, "she\t999999999999", a, b)) ==
        said(32, "\"she\" does not stand at character 999999999999 of the text"));
  CHECK(warning(GapRow(eve, "she\t15", "Ann\t0\tyes", b)) ==
        said(45, "expected TRUE or FALSE, found \"yes\""));
  CHECK(warning(GapRow(eve, " \t3", a, b)) == said(1, "a mention without a word"));
  CHECK(warning("row-1\tAnn saw Eve\n") ==
        said(1, "expected 10 fields with tabs between them, found 2"));
  CHECK(warning("row-1\t\xE9\n") == said(7, "byte 0xe9 is not UTF-8; save the file as UTF-8"));
}

TEST_CASE("a table that is not GAP's is an error", "[io][gap]") {
  const test::TempFolder folder;
  const auto other = ReadAnnotatedText(folder.Write("a.tsv", "word\tcount\nboat\t3\n"));
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::kFormat);
  CHECK(other.error().message.find("a.tsv: line 1, column 1: expected GAP's header (ID Text") !=
        std::string::npos);
  CHECK_FALSE(ParseGap(kHeader, "a.tsv"));
  CHECK_FALSE(ParseGap("", "a.tsv"));
  // Of another ending it is told by its header.
  const auto named = ReadAnnotatedText(folder.Write(
      "gap.txt",
      kHeader + GapRow("Ann saw Eve as she left.", "she\t15", "Ann\t0\tTRUE", "Eve\t8\tFALSE")));
  REQUIRE(named.has_value());
  CHECK(named->sentences.at(0).mentions.size() == 3);
}

}  // namespace
}  // namespace headscope
