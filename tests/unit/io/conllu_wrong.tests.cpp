#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

using test::GoodSentence;
using test::Row;

// The warning for a bad sentence between two good ones, of which nothing is lost.
std::string WarningFor(const std::string& sentence) {
  const Result<AnnotatedText> text =
      ParseConllu(GoodSentence() + sentence + "\n" + GoodSentence(), "a.conllu");
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text.has_value());
  CHECK(text->sentences.size() == 2);
  CHECK(text->sentences.back().text == "the boats sleep");
  CHECK(text->left_out == 1);
  REQUIRE(text->warnings.size() == 1);
  return text->warnings[0];
}

std::string LeftOut(const std::string& place, const std::string& reason) {
  return "a.conllu: " + place + ": " + reason + "; the sentence is left out";
}

TEST_CASE("a wrong sentence is left out with its line and column", "[io][conllu]") {
  CHECK(WarningFor("1 boats boat NOUN _ _ 0 root _ _\n") ==
        LeftOut("line 5, column 1",
                "expected 10 fields with tabs between them, found 1; there are blanks where tabs "
                "should be"));
  CHECK(WarningFor("1\tboats\t0\troot\n") ==
        LeftOut("line 5, column 1", "expected 10 fields with tabs between them, found 4"));
  CHECK(WarningFor("1\t\t_\tX\t_\t_\t0\troot\t_\t_\n") ==
        LeftOut("line 5, column 3", "field 2 is empty, expected a word or _"));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("3", "b", "1", "obj")) ==
        LeftOut("line 6, column 1", "expected word 2 or an empty line, found \"3\""));
  CHECK(WarningFor(Row("x", "a", "0", "root")) ==
        LeftOut("line 5, column 1", "expected word 1, found \"x\""));
  CHECK(WarningFor(Row("1", "a", "2", "obj") + Row("2", "b", "1", "obj")) ==
        LeftOut("line 5, column 13",
                "the governors (HEAD) of word 1 lead back to itself, never to the root"));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("2", "\xC3\xA9", "2", "obj")) ==
        LeftOut("line 6, column 13",
                "the governors (HEAD) of word 2 lead back to itself, never to the root"));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("2", "b", "3", "obj")) ==
        LeftOut("line 6, column 13", "the governor (HEAD) is word 3, but the last word is 2"));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("2", "b", "_", "obj")) ==
        LeftOut("line 6, column 13", "a word without a governor (HEAD) among words that have one"));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("2", "b", "-1", "obj")) ==
        LeftOut("line 6, column 13", "expected the number of a governor (HEAD), found \"-1\""));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("2", "b", "1", "_")) ==
        LeftOut("line 6, column 15", "a governor (HEAD) without a relation"));
  CHECK(WarningFor(Row("1", "a", "0", "root") + Row("2", "b", "0", "root")) ==
        LeftOut("line 6, column 13", "a second root; word 1 is one already"));
  CHECK(WarningFor(Row("1", "a\xFF", "0", "root")) ==
        LeftOut("line 5, column 4", "byte 0xff is not UTF-8; save the file as UTF-8"));
  CHECK(WarningFor(Row("1", "a", "99999999999999999999", "x")) ==
        LeftOut("line 5, column 13",
                "expected the number of a governor (HEAD), found \"99999999999999999999\""));
}

TEST_CASE("wrong multi-word tokens and empty nodes are told", "[io][conllu]") {
  const std::string a = Row("1", "a", "0", "root");
  const std::string b = Row("2", "b", "1", "obj");
  CHECK(WarningFor(a + Row("1-2", "ab", "_", "_") + b) ==
        LeftOut("line 6, column 1",
                "expected word 2, or a token that begins with it, found \"1-2\""));
  CHECK(WarningFor(Row("1-2", "ab", "_", "_") + a + Row("2-3", "b", "_", "_") + b) ==
        LeftOut("line 7, column 1",
                "expected word 2, or a token that begins with it, found \"2-3\""));
  CHECK(WarningFor(Row("1-5", "ab", "_", "_") + a + b) ==
        LeftOut("line 5, column 1", "a multi-word token up to word 5, but the last word is 2"));
  CHECK(WarningFor(Row("1-2", "ab", "_", "_")) ==
        LeftOut("line 5, column 1", "a multi-word token up to word 2, but the last word is 0"));
  CHECK(WarningFor(a + Row("2.1", "E", "_", "_") + b) ==
        LeftOut("line 6, column 1", "expected an empty node after word 1, found \"2.1\""));
}

TEST_CASE("a file that is cut off is used as far as it goes", "[io][conllu]") {
  const std::string end = "the file ends without an empty line; it may be cut off here";
  const auto whole = ParseConllu(GoodSentence() + Row("1", "a", "0", "root"), "a.conllu");
  REQUIRE(whole.has_value());
  CHECK(whole->sentences.size() == 2);
  CHECK(whole->warnings == std::vector<std::string>{"a.conllu: line 5, column 1: " + end});
  const auto cut = ParseConllu(GoodSentence() + "1\ta\t_\tX", "a.conllu");
  REQUIRE(cut.has_value());
  CHECK(cut->sentences.size() == 1);
  CHECK(cut->left_out == 1);
  REQUIRE(cut->warnings.size() == 2);
  CHECK(cut->warnings[1] == "a.conllu: line 5, column 1: " + end);
}

TEST_CASE("a file of which nothing can be used is an error with its first reason", "[io][conllu]") {
  const auto message = [](const std::string& bytes) {
    const auto text = ParseConllu(bytes, "a.conllu");
    REQUIRE_FALSE(text);
    CHECK(text.error().code == ErrorCode::kFormat);
    return text.error().message;
  };
  CHECK(message("") == "a.conllu: expected sentences, found none");
  CHECK(message("# newdoc\n\n") == "a.conllu: expected sentences, found none");
  CHECK(message("boats\n\n") ==
        "a.conllu: line 1, column 1: expected 10 fields with tabs between them, found 1; the "
        "sentence is left out, and it is the only one");
  CHECK(message("boats\n\nsleep\n\nwell\n\n") ==
        "a.conllu: line 1, column 1: expected 10 fields with tabs between them, found 1; the "
        "sentence is left out; so are 2 more, and nothing is left");
}

TEST_CASE("warnings end after twenty, and say how many there were", "[io][conllu]") {
  std::string bytes = GoodSentence();
  for (int i = 0; i < 50; ++i) {
    bytes += "bad\n\n";
  }
  const auto text = ParseConllu(bytes, "a.conllu");
  REQUIRE(text.has_value());
  CHECK(text->left_out == 50);
  REQUIRE(text->warnings.size() == 21);
  CHECK(text->warnings.back() == "a.conllu: and 30 more");
}

TEST_CASE("lines and sentences without end are left out", "[io][conllu]") {
  const std::string huge(static_cast<std::size_t>(kMaxSentenceBytes) + 1, 'x');
  CHECK(WarningFor(huge + "\n") ==
        LeftOut("line 5, column 1",
                "a sentence of more than 1048576 bytes; a sentence ends with an empty line"));
  std::string rows;
  for (int i = 1; i < 60000; ++i) {
    rows += Row(std::to_string(i), "word", i == 1 ? "0" : "1", i == 1 ? "root" : "obj");
  }
  CHECK(WarningFor(rows) ==
        LeftOut("line 5, column 1",
                "a sentence of more than 1048576 bytes; a sentence ends with an empty line"));
}

TEST_CASE("a long chain of heads is followed without recursion", "[io][conllu]") {
  std::string rows = Row("1", "a", "0", "root");
  for (int i = 2; i <= 30000; ++i) {
    rows += Row(std::to_string(i), "a", std::to_string(i - 1), "obj");
  }
  const auto text = ParseConllu(rows + "\n", "a.conllu");
  REQUIRE(text.has_value());
  CHECK(text->sentences.at(0).words.back().head == 29998);
}

}  // namespace
}  // namespace headscope
