#include <tuple>

#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/unit/io/conllu_text.h"

namespace headscope {
namespace {

using test::Row;

using Span = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string>;

std::vector<Span> Mentions(const std::string& bytes, std::vector<std::string>* warnings = nullptr) {
  const Result<AnnotatedText> text = ParseConllu(bytes, "a.conllu");
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text.has_value());
  std::vector<Span> spans;
  for (const Mention& mention : text->sentences.at(0).mentions) {
    spans.emplace_back(mention.first, mention.last, mention.head, mention.entity);
  }
  if (warnings != nullptr) {
    *warnings = text->warnings;
  } else {
    CHECK(text->warnings.empty());
  }
  return spans;
}

TEST_CASE("mentions nest, and their heads are what hangs outside them", "[io][conllu]") {
  // [The captain of [the old boat]] says that [she] leaks
  const std::string bytes = Row("1", "The", "2", "det", "Entity=(e1-person-giv:act-1-ana") +
                            Row("2", "captain", "7", "nsubj") + Row("3", "of", "6", "case") +
                            Row("4", "the", "6", "det", "SpaceAfter=Yes|Entity=(e2-object") +
                            Row("5", "old", "6", "amod") +
                            Row("6", "boat", "2", "nmod", "Entity=e2)e1)") +
                            Row("7", "says", "0", "root") + Row("8", "that", "10", "mark") +
                            Row("9", "she", "10", "nsubj", "Entity=(e2-object-giv)") +
                            Row("10", "leaks", "7", "ccomp") + "\n";
  CHECK(Mentions(bytes) == std::vector<Span>{{0, 5, 1, "e1"}, {3, 5, 5, "e2"}, {8, 8, 8, "e2"}});
}

TEST_CASE("the field that names an entity is the one that the file says", "[io][conllu]") {
  const std::string bytes = "# global.Entity = entity-GRP-infstat\n" +
                            Row("1", "boats", "2", "nsubj", "Entity=(object-7-new(place-8-new)") +
                            Row("2", "sleep", "0", "root", "Entity=object-7)") + "\n";
  CHECK(Mentions(bytes) == std::vector<Span>{{0, 1, 1, "7"}, {0, 0, 0, "8"}});
}

TEST_CASE("crossing mentions find their own ends", "[io][conllu]") {
  const std::string bytes =
      Row("1", "a", "2", "det", "Entity=(x") + Row("2", "b", "0", "root", "Entity=(y") +
      Row("3", "c", "2", "obj", "Entity=x)") + Row("4", "d", "2", "obl", "Entity=y)") + "\n";
  CHECK(Mentions(bytes) == std::vector<Span>{{0, 2, 1, "x"}, {1, 3, 1, "y"}});
}

TEST_CASE("a discontinuous mention is one, headed in its parts", "[io][conllu]") {
  // [boats] , said Ann , [of wood]
  const std::string bytes = Row("1", "boats", "0", "root", "Entity=(e1[1/2]-object-1)") +
                            Row("2", "said", "1", "parataxis") + Row("3", "Ann", "2", "nsubj") +
                            Row("4", "of", "5", "case", "Entity=(e1[2/2]-object") +
                            Row("5", "wood", "1", "nmod", "Entity=e1[2/2])") + "\n";
  CHECK(Mentions(bytes) == std::vector<Span>{{0, 4, 0, "e1"}});
}

TEST_CASE("what opens at an empty node begins with the next word", "[io][conllu]") {
  const std::string bytes = Row("0.1", "E", "_", "_", "Entity=(e1(e2)") +
                            Row("1", "boats", "2", "nsubj", "Entity=e1)") +
                            Row("2", "sleep", "0", "root") + "\n";
  CHECK(Mentions(bytes) == std::vector<Span>{{0, 0, 0, "e1"}});
}

TEST_CASE("punctuation does not head a mention, and without heads the last word does",
          "[io][conllu]") {
  const std::string quoted = Row("1", "'", "3", "punct", "Entity=(e1") +
                             Row("2", "Nora", "3", "nsubj", "Entity=e1)") +
                             Row("3", "sails", "0", "root") + "\n";
  CHECK(Mentions(quoted) == std::vector<Span>{{0, 1, 1, "e1"}});
  const std::string plain = Row("1", "old", "_", "_", "Entity=(e1") +
                            Row("2", "boats", "_", "_", "Entity=e1)") +
                            Row("3", "sleep", "_", "_") + "\n";
  CHECK(Mentions(plain) == std::vector<Span>{{0, 1, 1, "e1"}});
}

TEST_CASE("brackets without a partner are warned of, and the rest is used", "[io][conllu]") {
  std::vector<std::string> warnings;
  const std::string bytes = Row("1", "the", "2", "det", "Entity=(e1(e3") +
                            Row("2", "boats", "3", "nsubj", "Entity=e1)e2)") +
                            Row("3", "sleep", "0", "root", "Entity=loose") + "\n";
  CHECK(Mentions(bytes, &warnings) == std::vector<Span>{{0, 1, 1, "e1"}});
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0] ==
        "a.conllu: line 2, column 37: the mention of \"e2\" that ends here has no beginning in its "
        "sentence, and is left out");
  CHECK(warnings[1] ==
        "a.conllu: line 3, column 33: expected a name with a bracket, found \"loose\"");
  CHECK(warnings[2] ==
        "a.conllu: line 1, column 33: the mention of \"e3\" that opens here has no end in its "
        "sentence, and is left out");
}

TEST_CASE("ten thousand open brackets cost no more than they should", "[io][conllu]") {
  std::string entity = "Entity=";
  for (int i = 0; i < 10000; ++i) {
    entity += "(a";
  }
  for (int i = 0; i < 10000; ++i) {
    entity += "b)";
  }
  std::vector<std::string> warnings;
  CHECK(Mentions(Row("1", "boats", "0", "root", entity) + "\n", &warnings).empty());
  CHECK(warnings.size() == kMaxAnnotationWarnings + 1);
}

}  // namespace
}  // namespace headscope
