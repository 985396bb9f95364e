#include "core/io/json.h"

#include <string>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;

// A document and its root, which points into it.
struct ParsedJson {
  JsonDocument document;
  JsonObject root;
};

ParsedJson ParseJson(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::Parse(text, "config.json");
  REQUIRE(document);
  Result<JsonObject> root = JsonObject::Root(*document);
  REQUIRE(root);
  return {std::move(*document), std::move(*root)};
}

TEST_CASE("values are found by key", "[io][json]") {
  const ParsedJson parsed = ParseJson(
      R"({"n_layer": 12, "whole": 7.0, "eps": 1e-5, "tie": true, "act": "gelu_new",
          "rope": {"theta": 10000}, "stop": [1, 2], "none": null})");
  const JsonObject& root = parsed.root;
  CHECK(root.Integer("n_layer", 1, 100).value() == 12);
  CHECK(root.Integer("whole", 1, 100).value() == 7);
  CHECK(root.Number("eps", 0.0, 1.0).value() == 1e-5);
  CHECK(root.Number("n_layer", 0.0, 100.0).value() == 12.0);
  CHECK(root.Boolean("tie").value());
  CHECK(root.String("act").value() == "gelu_new");
  const auto rope = root.Object("rope");
  REQUIRE(rope);
  REQUIRE(rope->has_value());
  CHECK((*rope)->Number("theta", 1.0, 1e9).value() == 10000.0);
  const auto stop = root.Array("stop");
  REQUIRE(stop);
  REQUIRE(stop->has_value());
  CHECK((*stop)->size() == 2);
}

TEST_CASE("a missing key and a null are both not there", "[io][json]") {
  const ParsedJson parsed = ParseJson(R"({"none": null})");
  const JsonObject& root = parsed.root;
  const std::string key = GENERATE("none", "missing");
  CHECK_FALSE(root.Has(key));
  CHECK(root.Integer(key, 0, 9, 5).value() == 5);
  CHECK(root.Number(key, 0.0, 9.0, 2.5).value() == 2.5);
  CHECK(root.Boolean(key, true).value());
  CHECK(root.String(key, "word").value() == "word");
  CHECK_FALSE(root.Object(key)->has_value());
  CHECK_FALSE(root.Array(key)->has_value());
  CHECK(root.Integer(key, 0, 9).error().message ==
        "config.json: \"" + key + "\" is missing, expected a whole number from 0 to 9");
  CHECK_THAT(root.Number(key, 0.0, 9.0).error().message, Says("is missing"));
  CHECK_THAT(root.Boolean(key).error().message, Says("is missing"));
  CHECK_THAT(root.String(key).error().message, Says("is missing"));
}

TEST_CASE("a value that is there and wrong is an error in spite of a fallback", "[io][json]") {
  const auto [value, found] = GENERATE(table<std::string, std::string>({
      {"\"twelve\"", "\"twelve\""},
      {"[1]", "a list"},
      {"{}", "an object"},
      {"1.5", "1.5"},
      {"-1", "-1"},
      {"101", "101"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"1e300", "1e+300"},
      {"true", "true"},
  }));
  const ParsedJson parsed = ParseJson("{\"n_layer\": " + value + "}");
  const Result<std::int64_t> integer = parsed.root.Integer("n_layer", 0, 100, 12);
  REQUIRE_FALSE(integer);
  CHECK(integer.error().code == ErrorCode::kFormat);
  CHECK_THAT(integer.error().message, Says("config.json: \"n_layer\" is " + found));
  CHECK_THAT(integer.error().message, Says("expected a whole number from 0 to 100"));
  CHECK(parsed.root.Has("n_layer"));
}

TEST_CASE("each accessor refuses other types", "[io][json]") {
  const ParsedJson parsed =
      ParseJson(R"({"text": "x", "number": 1, "list": [], "object": {}, "yes": true})");
  const JsonObject& root = parsed.root;
  CHECK_THAT(root.Number("text", 0.0, 1.0, 0.5).error().message, Says("a number from 0 to 1"));
  CHECK_THAT(root.Boolean("number", true).error().message, Says("expected true or false"));
  CHECK_THAT(root.Boolean("text", true).error().message, Says("expected true or false"));
  CHECK_THAT(root.String("list", "").error().message, Says("expected a string"));
  CHECK_THAT(root.Object("list").error().message, Says("expected an object"));
  CHECK_THAT(root.Array("object").error().message, Says("expected a list"));
  CHECK_THAT(root.Array("yes").error().message, Says("\"yes\" is true"));
}

TEST_CASE("an inner object's errors name the way to it", "[io][json]") {
  const ParsedJson parsed = ParseJson(R"({"rope_scaling": {"factor": "big"}})");
  const auto inner = parsed.root.Object("rope_scaling");
  REQUIRE(inner);
  CHECK((*inner)->Number("factor", 1.0, 64.0).error().message ==
        "config.json: rope_scaling: \"factor\" is \"big\", expected a number from 1 to 64");
}

TEST_CASE("a message never holds foreign control characters or more than a line", "[io][json]") {
  const ParsedJson parsed =
      ParseJson("{\"act\": \"a\\n\\u001b[2J" + std::string(5000, 'x') + "\"}");
  const std::string message = parsed.root.Boolean("act").error().message;
  CHECK(message.size() < 200);
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.find('\x1b') == std::string::npos);
}

TEST_CASE("what is not JSON is refused", "[io][json]") {
  const std::string text = GENERATE(std::string(),
                                    std::string("   "),
                                    std::string("{"),
                                    std::string("{\"a\": 1"),
                                    std::string("{\"a\": 1}}"),
                                    std::string("{\"a\": 1} tail"),
                                    std::string("{'a': 1}"),
                                    std::string("{\"a\": NaNs}"),
                                    std::string("{\"a\": 1.}"),
                                    std::string("{\"a\": 099999999999999999999}"),
                                    std::string("{\"a\": \"\xFF\"}"),
                                    std::string("{\"a\": 1\0}", 9),
                                    std::string(1U << 20U, '['),
                                    std::string(5000, '[') + std::string(5000, ']'));
  const Result<JsonDocument> document = JsonDocument::Parse(text, "config.json");
  REQUIRE_FALSE(document);
  CHECK(document.error().code == ErrorCode::kFormat);
  CHECK_THAT(document.error().message, Says("config.json: expected JSON"));
}

TEST_CASE("a root that is no object is refused", "[io][json]") {
  const Result<JsonDocument> document = JsonDocument::Parse("[1, 2]", "config.json");
  REQUIRE(document);
  const Result<JsonObject> root = JsonObject::Root(*document);
  REQUIRE_FALSE(root);
  CHECK(root.error().message == "config.json: expected a JSON object, found a list");
}

TEST_CASE("a document is read from a file under a size cap", "[io][json]") {
  const TempFolder folder;
  const std::filesystem::path path = folder.Write("config.json", R"({"n": 3})");
  const Result<JsonDocument> document = JsonDocument::Read(path, 8);
  REQUIRE(document);
  CHECK(JsonObject::Root(*document)->Integer("n", 0, 9).value() == 3);
  CHECK(document->name() == path.string());

  const Result<JsonDocument> large = JsonDocument::Read(path, 7);
  REQUIRE_FALSE(large);
  CHECK_THAT(large.error().message, Says(path.string()) && Says("at most 7 bytes"));
  CHECK(JsonDocument::Read(folder / "missing", 8).error().code == ErrorCode::kIo);
  CHECK(JsonDocument::Read(folder.path(), 8).error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace headscope
