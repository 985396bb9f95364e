#include "core/io/json_text.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("an object has a line for each field, and for each entry of its lists", "[io][json]") {
  nlohmann::ordered_json json;
  json["name"] = "caf\xE9";
  json["ids"] = {1, 2};
  json["rows"] = nlohmann::ordered_json::array({{1, nullptr}, {0.5}});
  json["none"] = nlohmann::ordered_json::array();
  CHECK(JsonInLines(json, {"rows", "none"}) ==
        "{\n"
        "  \"name\": \"caf\uFFFD\",\n"
        "  \"ids\": [1,2],\n"
        "  \"rows\": [\n"
        "    [1,null],\n"
        "    [0.5]\n"
        "  ],\n"
        "  \"none\": []\n"
        "}\n");
}

}  // namespace
}  // namespace headscope
