#include "core/base/stop.h"
#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

using test::FormAt;
using test::Row;

AnnotatedText Parsed(const std::string& bytes) {
  Result<AnnotatedText> text = ParseConllu(bytes, "a.conllu");
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text.has_value());
  return std::move(*text);
}

TEST_CASE("a sentence's words are read with heads, relations and spans", "[io][conllu]") {
  const AnnotatedText text = Parsed(
      "# sent_id = harbour-1\n# text = The boats, tired, sleep.\n" + Row("1", "The", "2", "det") +
      Row("2", "boats", "6", "nsubj", "SpaceAfter=No") + Row("3", ",", "4", "punct") +
      Row("4", "tired", "2", "acl", "SpaceAfter=No") + Row("5", ",", "4", "punct") +
      Row("6", "sleep", "0", "root", "SpaceAfter=No") + Row("7", ".", "6", "punct") + "\n");
  REQUIRE(text.sentences.size() == 1);
  CHECK(text.warnings.empty());
  CHECK(text.left_out == 0);
  const AnnotatedSentence& sentence = text.sentences.front();
  CHECK(sentence.id == "harbour-1");
  CHECK(sentence.line == 1);
  CHECK(sentence.text == "The boats, tired, sleep.");
  REQUIRE(sentence.words.size() == 7);
  CHECK(sentence.words[0].head == 1);
  CHECK(sentence.words[0].relation == "det");
  CHECK(sentence.words[0].upos == "X");
  CHECK(sentence.words[5].head == -1);
  CHECK(sentence.words[5].relation == "root");
  for (const AnnotatedWord& word : sentence.words) {
    CHECK(FormAt(sentence, word) == word.form);
  }
}

TEST_CASE("without a text comment the text is made from the words", "[io][conllu]") {
  const AnnotatedText text = Parsed(Row("1", "Boats", "2", "nsubj") +
                                    Row("2", "sleep", "0", "root", "Mood=x|SpaceAfter=No") +
                                    Row("3", ".", "2", "punct", "SpaceAfter=No") + "\n");
  const AnnotatedSentence& sentence = text.sentences.at(0);
  CHECK(sentence.text == "Boats sleep.");
  CHECK(sentence.words[2].begin == 11);
  CHECK(sentence.words[2].end == 12);
  CHECK(text.warnings.empty());
}

TEST_CASE("a text that does not hold the words is warned of and made anew", "[io][conllu]") {
  const AnnotatedText text =
      Parsed("# text = \xC3\xA9t\xC3\xA9 wakes\n" + Row("1", "\xC3\xA9t\xC3\xA9", "2", "nsubj") +
             Row("2", "sleeps", "0", "root") + "\n");
  CHECK(text.sentences.at(0).text == "\xC3\xA9t\xC3\xA9 sleeps");
  CHECK(text.sentences.at(0).words[1].begin == 6);
  REQUIRE(text.warnings.size() == 1);
  CHECK(text.warnings[0] ==
        "a.conllu: line 1, column 14: the text does not go on with word 2, \"sleeps\"; the words "
        "are taken in its place");
  const AnnotatedText longer = Parsed("# text = the boats sleep on\n" + test::GoodSentence());
  REQUIRE(longer.warnings.size() == 1);
  CHECK(longer.warnings[0].find("line 1, column 26: the text goes on") != std::string::npos);
  CHECK(longer.sentences.at(0).text == "the boats sleep");
}

TEST_CASE("words of a multi-word token have their part of it, or share it", "[io][conllu]") {
  const AnnotatedText text = Parsed("# text = Don't go au port\n" + Row("1-2", "Don't", "_", "_") +
                                    Row("1", "Do", "3", "aux") + Row("2", "n't", "3", "advmod") +
                                    Row("3", "go", "0", "root") + Row("4-5", "au", "_", "_") +
                                    Row("4", "\xC3\xA0", "6", "case") + Row("5", "le", "6", "det") +
                                    Row("6", "port", "3", "obl") + "\n");
  const AnnotatedSentence& sentence = text.sentences.at(0);
  REQUIRE(sentence.words.size() == 6);
  CHECK(sentence.words[3].form == "\xC3\xA0");
  CHECK(FormAt(sentence, sentence.words[0]) == "Do");
  CHECK(FormAt(sentence, sentence.words[1]) == "n't");
  CHECK(FormAt(sentence, sentence.words[3]) == "au");
  CHECK(FormAt(sentence, sentence.words[4]) == "au");
  CHECK(FormAt(sentence, sentence.words[5]) == "port");
}

TEST_CASE("empty nodes are no words", "[io][conllu]") {
  const AnnotatedText text =
      Parsed(Row("0.1", "E", "_", "_") + Row("1", "boats", "2", "nsubj") +
             Row("2", "sleep", "0", "root") + Row("2.1", "E", "_", "_") +
             Row("2.2", "E", "_", "_") + Row("3", "well", "2", "advmod") + "\n");
  REQUIRE(text.sentences.at(0).words.size() == 3);
  CHECK(text.sentences.at(0).words[2].head == 1);
  CHECK(text.warnings.empty());
}

TEST_CASE("sentences without heads are read as such", "[io][conllu]") {
  const AnnotatedText text = Parsed(Row("1", "boats", "_", "_") + Row("2", "sleep", "_", "_") +
                                    "\n" + test::GoodSentence());
  REQUIRE(text.sentences.size() == 2);
  CHECK(text.sentences[0].words[0].head == -1);
  CHECK(text.sentences[0].words[0].relation.empty());
  CHECK(text.sentences[1].line == 4);
}

TEST_CASE("what editors do to line ends and beginnings changes nothing", "[io][conllu]") {
  const std::string plain =
      "# text = the boats sleep\n" + test::GoodSentence() + test::GoodSentence();
  std::string other = "\xEF\xBB\xBF";
  for (const char character : plain) {
    other += character == '\n' ? std::string("\r\n") : std::string(1, character);
  }
  const AnnotatedText text = Parsed(other);
  CHECK(text.warnings.empty());
  REQUIRE(text.sentences.size() == 2);
  CHECK(text.sentences[0].text == "the boats sleep");
  CHECK(text.sentences[1].words[2].relation == "root");
  CHECK(text.sentences[1].line == 6);
}

TEST_CASE("a file's kind is told by its ending or by its content", "[io][conllu]") {
  const test::TempFolder folder;
  const std::string sentence = "# a comment\n" + test::GoodSentence();
  CHECK(ReadAnnotatedText(folder.Write("a.conllu", sentence)).has_value());
  CHECK(ReadAnnotatedText(folder.Write("a.txt", sentence)).has_value());
  const auto plain = ReadAnnotatedText(folder.Write("b.txt", "The boats sleep.\n"));
  REQUIRE_FALSE(plain);
  CHECK(plain.error().code == ErrorCode::kUnsupported);
  CHECK(plain.error().message.find("b.txt") != std::string::npos);
  const auto wide = ReadAnnotatedText(folder.Write("w.conllu", std::string("\xFF\xFE#\0", 4)));
  REQUIRE_FALSE(wide);
  CHECK(wide.error().message.find("line 1, column 1: is UTF-16") != std::string::npos);
  CHECK(ReadAnnotatedText(folder / "none.conllu").error().code == ErrorCode::kIo);
}

TEST_CASE("reading ends when it is asked to, within a few lines", "[io][conllu]") {
  const std::string long_line(100000, 'x');
  std::stop_source stop;
  int looks = 0;
  const StopWatch watch([&stop, &looks] {
    if (++looks == 3) {
      stop.request_stop();
    }
  });
  const std::string lines =
      long_line + "\n" + long_line + "\n" + long_line + "\n" + long_line + "\n";
  const std::string header =
      "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\n";
  CHECK(ParseConllu(lines, "a.conllu", stop.get_token()).error().code == ErrorCode::kCancelled);
  CHECK(looks == 3);
  CHECK(ParseGap(header + lines, "a.tsv", stop.get_token()).error().code == ErrorCode::kCancelled);
  CHECK(ParseWinoBias(lines, "a.txt", stop.get_token()).error().code == ErrorCode::kCancelled);
  CHECK(looks == 5);
}

}  // namespace
}  // namespace headscope
