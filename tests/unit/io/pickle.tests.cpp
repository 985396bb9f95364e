#include "core/io/pickle.h"

#include <array>
#include <limits>
#include <string>

#include "tests/support/catch.h"

namespace headscope {
namespace {

using namespace std::string_literals;
using Kind = PickleValue::Kind;
using test::Says;

constexpr std::array<std::string_view, 3> kNames = {
    "collections OrderedDict", "our make", "our Thing"};

Result<Pickle> Parse(const std::string& bytes) {
  return ParsePickle(std::as_bytes(std::span(bytes)), kNames, "x.bin");
}

Error Refused(const std::string& bytes) {
  const auto pickle = Parse(bytes);
  REQUIRE_FALSE(pickle.has_value());
  CHECK_THAT(pickle.error().message, Says("x.bin: "));
  return pickle.error();
}

}  // namespace

TEST_CASE("plain values are read as they are", "[pickle]") {
  // {"a": [1, 258, -3, 2.5, None, True], "b": ("c",)}
  const std::string bytes =
      "\x80\x02}q\x00(X\x01\x00\x00\x00"
      "a]q\x01(K\x01M\x02\x01J\xfd\xff\xff\xffG@\x04\x00\x00\x00\x00\x00\x00N\x88"
      "eX\x01\x00\x00\x00"
      "bX\x01\x00\x00\x00"
      "c\x85u."s;
  const auto pickle = Parse(bytes);
  REQUIRE(pickle);
  const PickleValue& root = pickle->Root();
  REQUIRE(root.kind == Kind::kDictionary);
  REQUIRE(root.items.size() == 4);
  CHECK(pickle->At(root.items[0]).text == "a");
  const PickleValue& list = pickle->At(root.items[1]);
  REQUIRE(list.kind == Kind::kList);
  REQUIRE(list.items.size() == 6);
  CHECK(pickle->At(list.items[0]).integer == 1);
  CHECK(pickle->At(list.items[1]).integer == 258);
  CHECK(pickle->At(list.items[2]).integer == -3);
  CHECK(pickle->At(list.items[3]).number == 2.5);
  CHECK(pickle->At(list.items[4]).kind == Kind::kNone);
  CHECK(pickle->At(list.items[5]).kind == Kind::kBoolean);
  const PickleValue& tuple = pickle->At(root.items[3]);
  REQUIRE(tuple.kind == Kind::kTuple);
  CHECK(pickle->At(tuple.items[0]).text == "c");
}

TEST_CASE("whole numbers of any length up to eight bytes keep their sign", "[pickle]") {
  CHECK(Parse("\x8a\x00."s)->Root().integer == 0);
  CHECK(Parse("\x8a\x01\xff."s)->Root().integer == -1);
  CHECK(Parse("\x8a\x02\xff\x00."s)->Root().integer == 255);
  CHECK(Parse("\x8a\x05\x00\x00\x00\x00\x01."s)->Root().integer == std::int64_t{1} << 32U);
  CHECK(Parse("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80."s)->Root().integer ==
        std::numeric_limits<std::int64_t>::min());
  CHECK_THAT(Refused("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s).message, Says("64 bits"));
}

TEST_CASE("listed calls are kept and not made; others are refused by their name", "[pickle]") {
  const auto pickle = Parse("cour\nmake\n(K\x05K\x06tR."s);
  REQUIRE(pickle);
  const PickleValue& call = pickle->Root();
  REQUIRE(call.kind == Kind::kCall);
  REQUIRE(call.items.size() == 3);
  CHECK(pickle->At(call.items[0]).integer == 1);
  CHECK(pickle->At(call.items[1]).integer == 5);
  CHECK(pickle->At(call.items[2]).integer == 6);
  // The same with names from the stack.
  CHECK(Parse("\x8c\x03our\x8c\x04make\x93)R."s)->Root().kind == Kind::kCall);
  // An ordered dictionary is a dictionary, whatever it remembers of itself.
  const auto ordered = Parse("ccollections\nOrderedDict\n)R}b."s);
  REQUIRE(ordered);
  CHECK(ordered->Root().kind == Kind::kDictionary);

  const Error system = Refused("cposix\nsystem\n(X\x02\x00\x00\x00lstR."s);
  CHECK(system.code == ErrorCode::kUnsupported);
  CHECK_THAT(system.message, Says("\"posix.system\"") && Says("not run"));
  CHECK_THAT(Refused("\x8c\x08"
                     "builtins\x8c\x04"
                     "eval\x93."s)
                 .message,
             Says("\"builtins.eval\""));
  // Operations that make objects in other ways.
  for (const char code : {'i', 'o', '\x81', '\x92', 'P', '\x82'}) {
    INFO(static_cast<int>(code));
    CHECK(Refused("(cour\nThing\n"s + code + "a\nb\n.").code == ErrorCode::kUnsupported);
  }
}

TEST_CASE("what is kept comes back, and what was not kept is refused", "[pickle]") {
  const auto pickle = Parse(
      "K\x07q\x05"
      "0h\x05h\x05\x86."s);
  REQUIRE(pickle);
  CHECK(pickle->At(pickle->Root().items[0]).integer == 7);
  CHECK(pickle->Root().items[0] == pickle->Root().items[1]);
  CHECK_THAT(Refused("h\x05."s).message, Says("recalls"));
  CHECK_THAT(Refused("q\x05."s).message, Says("keeps"));
  CHECK_THAT(Refused("."s).message, Says("takes a value"));
  CHECK_THAT(Refused("t."s).message, Says("mark"));
  CHECK_THAT(Refused("K\x01(\x85."s).message, Says("takes a value"));
  CHECK_THAT(Refused("K\x01K\x02"
                     "a."s)
                 .message,
             Says("holds nothing"));
  CHECK_THAT(Refused("}(K\x01u."s).message, Says("holds nothing"));
  CHECK_THAT(Refused("K\x01)R."s).message, Says("no function"));
}

TEST_CASE("a pickle cut anywhere is refused", "[pickle]") {
  const std::string whole =
      "\x80\x02}q\x00(X\x01\x00\x00\x00"
      "aJ\x01\x00\x00\x00X\x01\x00\x00\x00"
      "bccollections\nOrderedDict\nq\x01)Ru."s;
  REQUIRE(Parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK(Refused(whole.substr(0, size)).code == ErrorCode::kFormat);
  }
  CHECK_THAT(Refused("X\xff\xff\xff\xff"s).message, Says("ends too early"));
  CHECK_THAT(Refused("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s).message, Says("ends too early"));
}

TEST_CASE("the number of values is bounded", "[pickle]") {
  CHECK_THAT(Refused(std::string(kMostPickleValues + 1, ']') + ".").message, Says("values"));
  CHECK_THAT(Refused(std::string(kMostPickleBytes + 1, 'N')).message, Says("bytes"));
}

}  // namespace headscope
