#include "core/compare/compare_export.h"

#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "core/io/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

Comparison Made() {
  Comparison made;
  made.a = "one";
  made.b = "t\xE9wo";  // not UTF-8
  made.queries.names = made.keys.names = {"\u0120the", "\u0120cat"};
  made.layers.push_back({.layer = 4,
                         .heads_a = 3,
                         .heads_b = 2,
                         .num_rows = 1,
                         .divergences = {0.5, 0.125, 0.25, 0.5, 0.5, 0.5},
                         .pairs = {{0, 1, 0.125}, {1, 0, 0.25}}});
  made.notes = {"Said."};
  return made;
}

TEST_CASE("A comparison as JSON has the keys of the reference", "[compare][export]") {
  const auto json = nlohmann::json::parse(ComparisonJson(Made()));
  CHECK(json["a"] == "one");
  CHECK(json["b"] == "t\uFFFDwo");
  CHECK(json["tokens"] == nlohmann::json::array({"\u0120the", "\u0120cat"}));
  REQUIRE(json["heads"].size() == 2);
  CHECK(json["heads"][0] ==
        nlohmann::json::parse(R"({"a": "L4H0", "b": "L4H1", "divergence": 0.125})"));
  CHECK(json["heads"][1]["a"] == "L4H1");
  CHECK(json["matrix"] == nlohmann::json::parse("[[0.125, 0.25, null]]"));
  CHECK(json["layers"] == nlohmann::json::parse(R"([{"layer": 4, "mean": 0.1875, "rows": 1}])"));
  CHECK(json["largest"]["a"] == "L4H1");
  CHECK(json["ranking"] == nlohmann::json::array({"L4H1", "L4H0"}));
  CHECK(json["pairs"][0][2] == nlohmann::json::array({0.5, 0.5}));
  CHECK(json["notes"] == nlohmann::json::array({"Said."}));
}

TEST_CASE("Where nothing could be measured there is null, never 0", "[compare][export]") {
  Comparison made = Made();
  made.layers[0].num_rows = 0;
  for (HeadPair& pair : made.layers[0].pairs) {
    pair.divergence.reset();
  }
  const auto json = nlohmann::json::parse(ComparisonJson(made));
  CHECK(json["heads"][0]["divergence"].is_null());
  CHECK(json["matrix"][0][0].is_null());
  CHECK(json["layers"][0]["mean"].is_null());
  CHECK(json["largest"].is_null());
  CHECK(json["pairs"][0][0][0].is_null());
}

TEST_CASE("A comparison as tensors holds the matching and every pair", "[compare][export]") {
  const test::TempFolder folder;
  const auto path = folder / "c.safetensors";
  REQUIRE(WriteComparison(path, Made(), {{"text", "the cat"}}).has_value());
  const auto file = WeightStore::OpenSafetensors(path);
  REQUIRE(file.has_value());
  CHECK(file->Find("divergence")->shape == std::vector<std::int64_t>{1, 3});
  CHECK(file->Find("pairs")->shape == std::vector<std::int64_t>{1, 3, 2});
  std::int32_t partner[3] = {};
  std::memcpy(partner, file->Find("partner")->bytes.data(), sizeof(partner));
  CHECK(partner[0] == 1);
  CHECK(partner[1] == 0);
  CHECK(partner[2] == -1);
  float divergence[3] = {};
  std::memcpy(divergence, file->Find("divergence")->bytes.data(), sizeof(divergence));
  CHECK(divergence[1] == 0.25F);
  CHECK(std::isnan(divergence[2]));
  CHECK(file->metadata().at("layers") == "[4]");
  CHECK(file->metadata().at("text") == "the cat");
  CHECK(WriteComparison(folder / "c.csv", Made(), {}).error().code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope
