#include "core/io/json_places.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("a place in a text is a line and a column of characters", "[io][places]") {
  const std::string text = "ab\nä\"c\n";
  CHECK(PlaceAt(text, 0) == TextPlace{1, 1});
  CHECK(PlaceAt(text, 2) == TextPlace{1, 3});
  CHECK(PlaceAt(text, 3) == TextPlace{2, 1});
  CHECK(PlaceAt(text, 5) == TextPlace{2, 2});  // the character before has two bytes
  CHECK(PlaceAt(text, 99) == TextPlace{3, 1});
  CHECK(PlaceWords({2, 7}) == "line 2, column 7");
}

TEST_CASE("every value of a JSON text has its place", "[io][places]") {
  const std::string text =
      "{\n  \"a\": [1, true, {\"b\": \"x\\\"]\"}],\n  \"c\": {}, \"d\": -1.5e3\n}\n";
  const JsonPlaces places(text);
  CHECK_FALSE(places.fault());
  CHECK(places.At("") == TextPlace{1, 1});
  CHECK(places.At("/a") == TextPlace{2, 8});
  CHECK(places.At("/a/1") == TextPlace{2, 12});
  CHECK(places.At("/a/2/b") == TextPlace{2, 24});
  CHECK(places.At("/d") == TextPlace{3, 17});
  CHECK(places.At("/a/2/none") == TextPlace{2, 18});  // the object around it
  CHECK(places.At("/none") == TextPlace{1, 1});
}

TEST_CASE("what JSON does not allow has a place, too", "[io][places]") {
  const auto [text, line, column] =
      GENERATE(table<std::string, std::int64_t, std::int64_t>({{"", 1, 1},
                                                               {"{", 1, 2},
                                                               {"{\n  \"a\": 1,\n}", 3, 1},
                                                               {"{\"a\" 1}", 1, 6},
                                                               {"[1,\n tru]", 2, 2},
                                                               {"[1, \"ab\n\"]", 1, 5},
                                                               {"[1] 2", 1, 5},
                                                               {"{a: 1}", 1, 2}}));
  const JsonPlaces places(text);
  INFO(text);
  REQUIRE(places.fault());
  CHECK(*places.fault() == TextPlace{line, column});
  const std::string nested(100, '[');
  CHECK(JsonPlaces(nested).fault());
}

}  // namespace
}  // namespace headscope
