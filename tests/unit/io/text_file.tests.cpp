#include "core/io/text_file.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

TEST_CASE("a text is read without what editors put around it", "[io][text_file]") {
  const test::TempFolder folder;
  const auto read = [&folder](const std::string& bytes) {
    const Result<std::string> text = ReadTextFile(folder.Write("a.txt", bytes));
    return text ? *text : "refused: " + text.error().message;
  };
  CHECK(read("plain") == "plain");
  CHECK(read("\xEF\xBB\xBFmarked\n") == "marked");
  CHECK(read("one\r\n") == "one");
  CHECK(read("one\ntwo\n\n") == "one\ntwo\n");  // one line end is the file's, the rest the text's
  CHECK(read("\xEF\xBB\xBF").empty());
  CHECK(read("").empty());
}

TEST_CASE("a text that cannot be read is told from one that is not UTF-8", "[io][text_file]") {
  const test::TempFolder folder;
  const auto missing = ReadTextFile(folder / "none.txt");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("none.txt") != std::string::npos);
  const auto wide = ReadTextFile(folder.Write("w.txt", std::string("\xFF\xFEh\0i\0", 6)));
  REQUIRE_FALSE(wide);
  CHECK(wide.error().message.find("UTF-16") != std::string::npos);
  const auto large = ReadTextFile(folder.Write("l.txt", "words"), 4);
  REQUIRE_FALSE(large);
  CHECK(large.error().message.find("5 bytes") != std::string::npos);
}

}  // namespace
}  // namespace headscope
