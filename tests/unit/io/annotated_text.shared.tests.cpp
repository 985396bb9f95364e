#include "core/io/annotated_text.h"

#include <map>

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

}  // namespace
}  // namespace headscope
