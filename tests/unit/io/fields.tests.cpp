#include "core/io/fields.h"

#include "tests/support/catch.h"

namespace headscope {

enum class Shape { kRound, kSquare, kFlat };
struct Wheel {
  std::int64_t size = 0;
  friend bool operator==(const Wheel&, const Wheel&) = default;
};
struct Cart {
  std::string name = "cart";
  std::int64_t load = 5;
  bool is_old = false;
  Shape shape = Shape::kRound;
  std::vector<Wheel> wheels;
  std::vector<std::string> owners;
  std::string others;
  friend bool operator==(const Cart&, const Cart&) = default;
};

void EachField(FieldsOf<Wheel> auto& wheel, auto& visit) {
  visit.Needs({"size"});
  visit("size", wheel.size, {.least = 1, .most = 9});
}

void EachField(FieldsOf<Cart> auto& cart, auto& visit) {
  constexpr FieldNames<Shape, 2> kShapes = {{{{Shape::kSquare, "square"}, {Shape::kFlat, "flat"}}},
                                            "\"{key}\" is square or flat, found {found}"};
  visit("name",
        cart.name,
        {.is_right = [](std::string_view text) { return text[0] != '!'; }, .wrong = "a bad name"});
  visit("load", cart.load);
  visit("is_old", cart.is_old, kSkipsEmpty);
  visit("shape", cart.shape, kShapes, kSkipsEmpty);
  visit("wheels", cart.wheels, {.skips_empty = true, .wrong = "a wheel is an object"});
  visit("owners", cart.owners);
  visit.Others(cart.others);
}

namespace {

Result<Cart> Read(std::string_view json) {
  const Result<JsonDocument> document = JsonDocument::Parse(json, "cart.json");
  REQUIRE(document);
  FieldReader reader(document->root(),
                     [](std::string_view path) { return "cart.json" + std::string(path); });
  Cart cart;
  EachField(cart, reader);
  HEADSCOPE_TRY(reader.status());
  return cart;
}

TEST_CASE("what is listed is written in its order, and read again as it was", "[io][fields]") {
  Cart cart;
  CHECK(JsonText(FieldsToJson(cart)) == R"({"name":"cart","load":5,"owners":[]})");
  cart = {.name = "\U0001F6D2",
          .load = 7,
          .is_old = true,
          .shape = Shape::kFlat,
          .wheels = {{1}, {9}},
          .owners = {"Ann", ""},
          .others = R"({"colour":[1,null]})"};
  const std::string text = JsonText(FieldsToJson(cart));
  CHECK(text.ends_with(R"("load":7,"is_old":true,"shape":"flat","wheels":[{"size":1},{"size":9}],)"
                       R"("owners":["Ann",""],"colour":[1,null]})"));
  CHECK(Read(text).value() == cart);
}

TEST_CASE("what is not there stays as in a new thing", "[io][fields]") {
  CHECK(Read("{}").value() == Cart{});
  CHECK(Read(R"({"name": null, "shape": "", "wheels": null})").value() == Cart{});
}

TEST_CASE("the first thing that is wrong is said with its place", "[io][fields]") {
  const auto [json, says] = GENERATE(table<const char*, const char*>(
      {{R"({"name": 7, "load": "x"})", "cart.json/name: \"name\" is 7, expected a string"},
       {R"({"name": "!"})", "cart.json/name: a bad name"},
       {R"({"load": -1})",
        "cart.json/load: \"load\" is -1, expected a whole number from 0 to 1000000"},
       {R"({"shape": "round"})", "cart.json/shape: \"shape\" is square or flat, found \"round\""},
       {R"({"wheels": [{"size": 1}, 2]})", "cart.json/wheels/1: a wheel is an object"},
       {R"({"wheels": [{}]})", "cart.json/wheels/0: expected \"size\", found fewer"},
       {R"({"wheels": [{"size": 10}]})",
        "cart.json/wheels/0/size: \"size\" is 10, expected a whole number from 1 to 9"},
       {"[]", "cart.json: expected an object"}}));
  const Result<Cart> cart = Read(json);
  REQUIRE_FALSE(cart);
  CHECK(cart.error().code == ErrorCode::kFormat);
  CHECK(cart.error().message == says);
}

}  // namespace
}  // namespace headscope
