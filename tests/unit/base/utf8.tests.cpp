#include "core/base/utf8.h"

#include <string>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("a place within a character goes back to its start", "[base]") {
  const std::string text = "a\u00E9\u2192\U0001F600";  // 1, 2, 3 and 4 bytes
  const std::size_t starts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  for (std::size_t at = 0; at <= text.size(); ++at) {
    INFO(at);
    CHECK(CharacterStart(text, at) == starts[at]);
  }
  CHECK(CharacterStart(std::string(9, '\x80'), 8) == 5);
}

}  // namespace
}  // namespace headscope
