// What editors, downloads and old machines do to a file of annotated sentences.
#include "core/io/annotated_text.h"

#include "core/io/text_file.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

// A sentence with its tree; 0xE9 is its é in Latin-1.
const std::string kSentence =
    "# text = The caf\xC3\xA9 sleeps\n" + test::Row("1", "The", "2", "det") +
    test::Row("2", "caf\xC3\xA9", "3", "nsubj") + test::Row("3", "sleeps", "0", "root") + "\n";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// As UTF-16, little or big end first.
std::string Wide(const std::string& text, bool is_little) {
  std::string wide;
  for (const char byte : Replaced(text, "\xC3\xA9", "\xE9")) {
    wide += is_little ? std::string({byte, '\0'}) : std::string({'\0', byte});
  }
  return wide;
}

std::string Refusal(const std::filesystem::path& path) {
  const auto text = ReadAnnotatedText(path);
  return text ? "read" : text.error().message;
}

TEST_CASE("the bundled probes are the same after what editors do", "[io][annotated_text]") {
  const test::TempFolder folder;
  const auto bytes = ReadTextFile(test::SourceFolder() / "assets" / "probes" / "probes.conllu");
  REQUIRE(bytes.has_value());
  const std::string plain = *bytes + "\n\n";
  const auto text = ReadAnnotatedText(folder.Write("plain.conllu", plain));
  REQUIRE(text.has_value());
  for (const std::string& changed : {"\xEF\xBB\xBF" + plain,
                                     Replaced(plain, "\n", "\r\n"),
                                     Replaced(plain, "\n", "\r"),
                                     Replaced(plain, "\n\n", "\n \t\n"),
                                     "\n\n" + plain + "\n\n"}) {
    const auto other = ReadAnnotatedText(folder.Write("changed.conllu", changed));
    REQUIRE(other.has_value());
    CHECK(other->warnings.empty());
    REQUIRE(other->sentences.size() == text->sentences.size());
    CHECK(other->sentences.back().text == text->sentences.back().text);
    CHECK(other->sentences.back().mentions.size() == text->sentences.back().mentions.size());
  }
}

TEST_CASE("another encoding is told with what to do", "[io][annotated_text]") {
  const test::TempFolder folder;
  const auto refusal = [&folder](const std::string& bytes) {
    const std::filesystem::path path = folder.Write("a.conllu", bytes);
    return Replaced(Refusal(path), path.string(), "a.conllu");
  };
  CHECK(refusal(kSentence) == "read");
  CHECK(refusal("\xFF\xFE" + Wide(kSentence, true)) ==
        "a.conllu: line 1, column 1: is UTF-16, expected UTF-8; save it as UTF-8");
  CHECK(refusal("\xFE\xFF" + Wide(kSentence, false)) ==
        "a.conllu: line 1, column 1: is UTF-16, expected UTF-8; save it as UTF-8");
  const std::string zero = "a zero byte, as UTF-16 has; save the file as UTF-8";
  CHECK(refusal(Wide(kSentence, true)).starts_with("a.conllu: line 1, column 2: " + zero));
  CHECK(refusal(Wide(kSentence, false)).starts_with("a.conllu: line 1, column 1: " + zero));
  CHECK(refusal(Replaced(kSentence, "\xC3\xA9", "\xE9"))
            .starts_with("a.conllu: line 1, column 17: byte 0xe9 is not UTF-8; save the file as "
                         "UTF-8"));
  CHECK(refusal("\x1F\x8B\x08 packed").starts_with("a.conllu: line 1, column 2: byte 0x8b"));
  CHECK(refusal("<!DOCTYPE html>\n<html></html>\n")
            .starts_with("a.conllu: line 1, column 1: expected 10 fields"));
}

TEST_CASE("tables and lines in another encoding are told, too", "[io][annotated_text]") {
  const test::TempFolder folder;
  CHECK(Refusal(folder.Write("a.tsv", "\x8B\xFF\tText\n"))
            .ends_with("a.tsv: line 1, column 1: byte 0x8b is not UTF-8; save the file as UTF-8"));
  CHECK(Refusal(folder.Write("b.txt", "[A caf\xE9] saw [it].\n"))
            .find("b.txt: line 1, column 7: byte 0xe9 is not UTF-8") != std::string::npos);
}

TEST_CASE("what is no file with sentences is told by its name", "[io][annotated_text]") {
  const test::TempFolder folder;
  CHECK(Refusal(folder / "none.conllu").find("none.conllu") != std::string::npos);
  CHECK(Refusal(folder.Write("empty.conllu", "")).find("empty.conllu") != std::string::npos);
  CHECK(Refusal(folder.path()) != "read");
}

}  // namespace
}  // namespace headscope
