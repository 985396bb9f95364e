#include "core/base/sentence.h"

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("a sentence ends once", "[base]") {
  CHECK(Ended("the file is cut short") == "the file is cut short.");
  for (const char* whole : {"is it cut short?", "It is.", "It is!", "raises old, the, …", ""}) {
    CHECK(Ended(whole) == whole);
  }
  CHECK(Ended("it ends in “?”") == "it ends in “?”.");
}

TEST_CASE("a sentence begins with a capital", "[base]") {
  CHECK(Sentence("eigenvalues of it") == "Eigenvalues of it.");
  CHECK(Sentence("QK is it?") == "QK is it?");
  CHECK(Sentence("ünd") == "ünd.");
  CHECK(Sentence("").empty());
}

}  // namespace headscope
