#include "app/cli/arguments.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;
using test::Says;

const KnownCommands kKnown = {
    .options = {{"--model", true}},
    .subcommands = {
        {"tokenize", {{"--model", true}, {"--text", true}, {"--pair", true}, {"--json", false}}}}};

Words Plain(const Words& given) {
  const auto plain = PlainArguments(kKnown, given);
  REQUIRE(plain);
  return *plain;
}

std::string Refused(const Words& given) {
  const auto plain = PlainArguments(kKnown, given);
  REQUIRE_FALSE(plain);
  CHECK(plain.error().usage);
  return plain.error().error.message;
}

}  // namespace

TEST_CASE("a value stands apart, however it was written", "[cli][arguments]") {
  CHECK(Plain({}) == Words{});
  CHECK(Plain({"tokenize", "--text=a=b", "--json"}) ==
        Words{"tokenize", "--text", "a=b", "--json"});
  CHECK(Plain({"tokenize", "--text", "-5 degrees"}) == Words{"tokenize", "--text", "-5 degrees"});
  CHECK(Plain({"tokenize", "--text=--pair"}) == Words{"tokenize", "--text", "--pair"});
  CHECK(Plain({"tokenize", "--text", "--unknown"}) == Words{"tokenize", "--text", "--unknown"});
  CHECK(Plain({"--unknown", "x"}) == Words{"--unknown", "x"});
  CHECK(Plain({"--", "--model"}) == Words{"--", "--model"});
}

TEST_CASE("an empty value takes nothing of what follows", "[cli][arguments]") {
  CHECK(Plain({"tokenize", "--text=", "--pair=x"}) ==
        Words{"tokenize", "--text", "", "--pair", "x"});
  CHECK(Plain({"tokenize", "--text", "", "--pair", ""}) ==
        Words{"tokenize", "--text", "", "--pair", ""});
}

TEST_CASE("an empty value is refused where it says nothing", "[cli][arguments]") {
  CHECK_THAT(Refused({"--model", ""}), Says("--model: expected a value, found nothing"));
  CHECK_THAT(Refused({"tokenize", "--model="}), Says("--model"));
  CHECK_THAT(Refused({""}), Says("found nothing"));
  CHECK_THAT(Refused({"tokenize", ""}), Says("found nothing"));
}

TEST_CASE("an option is never taken for a value", "[cli][arguments]") {
  const std::string refused = Refused({"tokenize", "--text", "--pair=x"});
  CHECK_THAT(refused, Says("--text: expected a value, found the option \"--pair=x\""));
  CHECK_THAT(refused, Says("--text=--pair=x"));
  CHECK_THAT(Refused({"tokenize", "--text", "--json"}), Says("--json"));
  CHECK_THAT(Refused({"tokenize", "--text"}), Says("the end of the line"));
  // What is an option elsewhere is a value here.
  CHECK(Plain({"--model", "--text"}) == Words{"--model", "--text"});
}

}  // namespace headscope
