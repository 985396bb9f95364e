#include "core/text/stop_words.h"

#include <set>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("the built-in stop words are English words, each once and in small letters", "[text]") {
  const StopWords words("");
  CHECK(words.size() > 100);
  CHECK(words.Has("the"));
  CHECK(words.Has("The"));
  CHECK(words.Has("YOURSELF"));
  CHECK(words.Has("n’t"));
  CHECK(words.Has("'s"));
  for (const char* word : {"captain", "th", "thee", "", " ", "the ", "."}) {
    CAPTURE(word);
    CHECK_FALSE(words.Has(word));
  }
  std::set<std::string_view> lines;
  std::string_view rest = EnglishStopWords();
  while (!rest.empty()) {
    CHECK(lines.insert(rest.substr(0, rest.find('\n'))).second);
    rest.remove_prefix(rest.find('\n') + 1);
  }
  CHECK(static_cast<std::int64_t>(lines.size()) == words.size());
}

TEST_CASE("a list of one's own takes the place of the built-in one", "[text]") {
  const StopWords words("der\nDIE  das,ein\r\n\n Straße");
  CHECK(words.size() == 5);
  for (const char* word : {"der", "Die", "DAS", "ein", "straße", "STRAßE"}) {
    CAPTURE(word);
    CHECK(words.Has(word));
  }
  CHECK_FALSE(words.Has("the"));
  CHECK(StopWords(" \n ").size() == 0);  // written, and without a word: nothing is hidden
  CHECK(StopWords("\xFF a").Has("\xFF"));
}

}  // namespace
}  // namespace headscope
