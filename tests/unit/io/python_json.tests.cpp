#include "core/io/python_json.h"

#include <string>

#include "core/io/json.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

using test::Says;

JsonDocument Parsed(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::Parse(text, "config.json");
  REQUIRE(document);
  return std::move(*document);
}

TEST_CASE("numbers that only Python writes close no file", "[io][json]") {
  const std::string odd = GENERATE("1000000000000000019884624838656",
                                   "-1000000000000000019884624838656",
                                   "NaN",
                                   "Infinity",
                                   "-Infinity",
                                   "1e400",
                                   "-1.5E+4000");
  const JsonDocument document =
      Parsed("{\"model_max_length\": " + odd + ", \"n\": [" + odd + ",4], \"n_layer\":" + odd +
             ",\"text\": \"NaN, " + odd + "\", \"NaN\": 7}");
  const JsonObject root = JsonObject::Root(document).value();
  CHECK(root.String("text").value() == "NaN, " + odd);
  CHECK(root.Integer("NaN", 0, 9).value() == 7);
  CHECK(root.Has("n_layer"));
  CHECK(root.Integer("n_layer", 1, 1024, 2).error().message ==
        "config.json: \"n_layer\" is " + odd + ", expected a whole number from 1 to 1024");
  CHECK_THAT(root.Number("n_layer", 0.0, 9.0).error().message, Says("is " + odd + ", expected"));
  CHECK_THAT(root.Boolean("n_layer").error().message, Says("is " + odd + ", expected"));
  CHECK_THAT(root.String("n_layer").error().message, Says("is " + odd + ", expected"));
  CHECK(root.Value("n")->Minified() == "[" + odd + ",4]");
  CHECK(root.Value("n")->Array()->at(1).Integer() == 4);
  CHECK_FALSE(root.Value("n")->Array()->at(0).Text());
}

TEST_CASE("a large integer is a number where a fraction may stand", "[io][json]") {
  const JsonDocument document = Parsed(R"({"rope_theta": 100000000000000000000, "x": NaN})");
  CHECK(document.root().Find("rope_theta")->Number() == 1e20);
  CHECK_FALSE(document.root().Find("rope_theta")->Integer());
  CHECK_FALSE(document.root().Find("x")->Number());
}

TEST_CASE("a mark before the text and half a surrogate pair close no file", "[io][json]") {
  const JsonDocument document = Parsed(
      "\xEF\xBB\xBF{\"half\": \"a\\ud83d\", \"low\": \"\\udc00b\", \"whole\": \"\\ud83d\\ude00\", "
      "\"escaped\": \"\\\\ud83d\\\"\"}");
  const JsonObject root = JsonObject::Root(document).value();
  CHECK(root.String("half").value() == "a\xEF\xBF\xBD");
  CHECK(root.String("low").value() ==
        "\xEF\xBF\xBD"
        "b");
  CHECK(root.String("whole").value() == "\xF0\x9F\x98\x80");
  CHECK(root.String("escaped").value() == "\\ud83d\"");
}

TEST_CASE("a number of a million digits is cut in a message", "[io][json]") {
  const JsonDocument document = Parsed("{\"a\": " + std::string(1'000'000, '7') + "}");
  const JsonObject root = JsonObject::Root(document).value();
  const std::string message = root.Integer("a", 0, 1).error().message;
  CHECK(message.size() < 200);
  CHECK_THAT(message, Says("1000000 characters"));
}

TEST_CASE("a text without such numbers is not copied", "[io][json]") {
  CHECK_FALSE(
      MarkOddNumbers(R"({"a": [1, -2.5e3, true, null, "NaN"], "b": 18446744073709551615})"));
  CHECK_FALSE(MarkOddNumbers("\"\\"));
  CHECK_FALSE(MarkOddNumbers("\"\\ud8"));
  CHECK_FALSE(MarkOddNumbers("{\"a"));
}

}  // namespace
}  // namespace headscope
