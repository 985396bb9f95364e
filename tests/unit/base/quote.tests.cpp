#include "core/base/quote.h"

#include <string>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("foreign text stays on one line", "[base][quote]") {
  CHECK(Quoted("wte.weight") == "\"wte.weight\"");
  CHECK(Quoted("") == "\"\"");
  CHECK(Quoted("a\nb\r\x1b[31m\x7f") == "\"a\\nb\\x0d\\x1b[31m\\x7f\"");
  CHECK(Quoted(std::string_view("\0", 1)) == "\"\\x00\"");
  CHECK(Quoted("Ġthe") == "\"Ġthe\"");
}

TEST_CASE("a long text is cut between characters", "[base][quote]") {
  CHECK(Quoted(std::string(80, 'a')) == '"' + std::string(80, 'a') + '"');
  CHECK(Quoted(std::string(81, 'a')) == '"' + std::string(80, 'a') + "...\"");
  // 4-byte characters behind 0 to 3 bytes of padding: the cut falls on each place inside one.
  for (std::size_t padding = 0; padding < 4; ++padding) {
    std::string text(padding, 'a');
    for (int i = 0; i < 30; ++i) {
      text += "\U0001F600";
    }
    const std::string quoted = Quoted(text);
    const std::size_t kept = quoted.size() - 5;  // two quotes, three dots
    CHECK(kept <= 80);
    CHECK((kept - padding) % 4 == 0);
    CHECK(kept + 4 > 80);
  }
}

}  // namespace
}  // namespace headscope
