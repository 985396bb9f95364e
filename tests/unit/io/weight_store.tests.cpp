#include "core/io/weight_store.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "core/io/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;

constexpr std::array<float, 4> kValues = {1.0F, 2.0F, 3.0F, 4.0F};

TensorView View(const std::string& name) {
  return {name, DataType::kF32, {2, 2}, std::as_bytes(std::span(kValues))};
}

// Two shards; "b" is in both, and the index takes it from the second.
void WriteShards(const TempFolder& folder) {
  REQUIRE(WriteSafetensors(folder / "one.safetensors", std::array{View("a"), View("b")}, {}));
  REQUIRE(WriteSafetensors(folder / "two.safetensors", std::array{View("b"), View("c")}, {}));
}

std::string Index(const std::string& map, const std::string& metadata = "{}") {
  return fmt::format(R"({{"metadata":{},"weight_map":{{{}}}}})", metadata, map);
}

constexpr const char* kGoodMap =
    R"("a":"one.safetensors","b":"two.safetensors","c":"two.safetensors")";

Result<WeightStore> Open(const TempFolder& folder, const std::string& index) {
  return WeightStore::OpenShards(folder.Write("index.json", index));
}

}  // namespace

TEST_CASE("shards are one list of tensors", "[io][weights]") {
  const TempFolder folder;
  WriteShards(folder);
  const auto store = Open(folder, Index(kGoodMap, R"({"total_size": 48})"));
  REQUIRE(store);
  CHECK(store->tensors().size() == 3);
  CHECK(store->files().size() == 2);
  CHECK(store->Find("d") == nullptr);
  for (const char* name : {"a", "b", "c"}) {
    const TensorView* tensor = store->Find(name);
    REQUIRE(tensor != nullptr);
    REQUIRE(tensor->bytes.size() == sizeof(kValues));
    CHECK(std::memcmp(tensor->bytes.data(), kValues.data(), sizeof(kValues)) == 0);
  }
  const auto bytes = store->files()[1].mapped.bytes();
  const TensorView* both = store->Find("b");
  CHECK(both->bytes.data() >= bytes.data());
  CHECK(both->bytes.data() < bytes.data() + bytes.size());
}

TEST_CASE("a tensor that the index does not name is read from its shard", "[io][weights]") {
  const TempFolder folder;
  WriteShards(folder);
  const auto store = Open(folder, Index(R"("a":"one.safetensors","b":"two.safetensors")"));
  REQUIRE(store);
  CHECK(store->tensors().size() == 3);
  REQUIRE(store->Find("c") != nullptr);
  // Of "b", which both hold, the index says where.
  const auto bytes = store->files()[1].mapped.bytes();
  CHECK(store->Find("b")->bytes.data() >= bytes.data());
  CHECK(store->Find("b")->bytes.data() < bytes.data() + bytes.size());
}

TEST_CASE("what an index says beside its map closes nothing", "[io][weights]") {
  const TempFolder folder;
  WriteShards(folder);
  for (const char* metadata : {"7",
                               "null",
                               R"({"total_size": 48.0})",
                               R"({"total_size": 64})",
                               R"({"total_size": "48"})",
                               R"({"total_size": 1000000000000000019884624838656})",
                               R"({"total_size": NaN})"}) {
    INFO(metadata);
    CHECK(Open(folder, Index(kGoodMap, metadata)));
  }
}

TEST_CASE("the metadata of all shards are kept", "[io][weights]") {
  const TempFolder folder;
  REQUIRE(WriteSafetensors(folder / "one.safetensors", std::array{View("a")}, {{"x", "a"}}));
  REQUIRE(WriteSafetensors(folder / "two.safetensors", std::array{View("b")}, {{"y", "b"}}));
  const auto store = Open(folder, Index(R"("a":"one.safetensors","b":"two.safetensors")"));
  REQUIRE(store);
  CHECK(store->metadata() == MetadataMap{{"x", "a"}, {"y", "b"}});
}

TEST_CASE("an index at odds with its shards is refused", "[io][weights]") {
  const TempFolder folder;
  WriteShards(folder);
  const auto refused = [&folder](const std::string& index) {
    const auto store = Open(folder, index);
    REQUIRE_FALSE(store);
    CHECK(store.error().message.find('\n') == std::string::npos);
    return store.error().message;
  };
  CHECK_THAT(
      refused(Index(R"("c":"one.safetensors")")),
      Says("index.json: tensor \"c\"") && Says("\"one.safetensors\"") && Says("does not hold it"));
  CHECK_THAT(refused(Index(R"("c":"three.safetensors")")),
             Says("three.safetensors") && Says("index.json"));
  folder.Write("cut.safetensors", std::string("\x10\0\0\0\0\0\0\0{", 9));
  CHECK_THAT(refused(Index(R"("c":"cut.safetensors")")), Says("cut.safetensors"));
  CHECK_THAT(refused("{"), Says("index.json: expected JSON"));
}

TEST_CASE("a shard index that is wrong by itself is refused", "[io][weights]") {
  for (const auto& [json, says] : std::initializer_list<std::pair<std::string, std::string>>{
           {"", "expected JSON"},
           {"[]", "expected a JSON object"},
           {"{}", "\"weight_map\" is missing"},
           {R"({"weight_map": []})", "\"weight_map\" is a list"},
           {R"({"weight_map": {}})", "names no tensor"},
           {R"({"weight_map": NaN})", "\"weight_map\" is NaN"},
           {Index(R"("a":7)"), "tensor \"a\" is in \"7\""},
           {Index(R"("a":"")"), "tensor \"a\""},
           {Index(R"("a":"/etc/passwd")"), "/etc/passwd"},
           {Index(R"("a":"sub/one.safetensors")"), "without a slash"},
           {Index(R"("a":"..")"), "without a slash"},
           {Index(R"("a":"..\\one")"), "without a slash"},
           {Index(R"("a":"one\u0000two")"), "without a slash"},
           {Index(R"("a":"one","a":"two")"), "there twice"}}) {
    INFO(json);
    const auto index = ParseShardIndex(json, "i.json");
    REQUIRE_FALSE(index);
    CHECK_THAT(index.error().message, Says("i.json: ") && Says(says));
    CHECK(index.error().message.find('\n') == std::string::npos);
  }
}

}  // namespace headscope
