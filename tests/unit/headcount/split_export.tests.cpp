#include "core/headcount/split_export.h"

#include <cstring>

#include "core/io/json.h"
#include "core/io/safetensors.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

SplitResult MakeSplit() {
  Output output(MakeReferenceBackend(), 24, 10);
  auto result = SplitLayer({.backend = output.backend(),
                            .output = &output.linear(),
                            .costs = {.weights = 1000, .biases = 30},
                            .layer = MakeLayer({})},
                           {.head_counts = {1, 5}},
                           {});
  REQUIRE(result.has_value());
  return std::move(*result);
}

TEST_CASE("The JSON holds every cost, and null where there is no divergence",
          "[headcount][export]") {
  const SplitResult split = MakeSplit();
  const auto document = JsonDocument::Parse(SplitJson(split), "split");
  REQUIRE(document.has_value());
  const JsonValue root = document->root();
  CHECK(root.Find("layer")->Integer() == 3);
  CHECK(root.Find("trained_heads")->Integer() == 4);
  CHECK(root.Find("head_dim")->is_null());
  CHECK(root.Find("scales") == std::nullopt);
  const JsonArray counts = root.Find("counts")->Array().value();
  REQUIRE(counts.size() == 2);
  std::size_t index = 0;
  for (const JsonValue count : counts) {
    const SplitCount& own = split.counts[index++];
    CHECK(count.Find("heads")->Integer() == own.heads);
    CHECK(std::ssize(*count.Find("widths")->Array()) == own.attention->shape().heads);
    CHECK(count.Find("parameters")->Integer() == 1030);
    CHECK(count.Find("multiplies")->Integer() == own.multiplies);
    CHECK(count.Find("softmax_cells")->Integer() == own.softmax_cells);
    CHECK(count.Find("map_bytes")->Integer() == own.map_bytes);
    CHECK(count.Find("milliseconds")->Number() == own.milliseconds);
    CHECK(count.Find("output_difference")->Number() == own.output_difference);
    CHECK(count.Find("mean_divergence")->is_null() == (own.heads == 1));
    CHECK(count.Find("effective_heads")->Number() == own.effective_heads);
    CHECK(count.Find("unowned_columns")->Integer() == 0);
    CHECK(count.Find("largest_weight")->Number() == own.largest_weight);
  }
}

TEST_CASE("Maps, outputs, columns and widths come back from a safetensors file",
          "[headcount][export]") {
  const test::TempFolder folder;
  const SplitResult split = MakeSplit();
  const auto path = folder / "s.safetensors";
  REQUIRE(WriteSplit(path, split, {{"model", "probe"}}).has_value());
  const auto file = WeightStore::OpenSafetensors(path);
  REQUIRE(file.has_value());
  CHECK(file->tensors().size() == 8);
  CHECK(file->metadata().at("model") == "probe");
  CHECK(file->metadata().at("segments") == "contiguous");
  const TensorView* heads = file->Find("heads_5");
  REQUIRE(heads != nullptr);
  CHECK(heads->shape == std::vector<std::int64_t>{5, 9, 9});
  const std::vector<float> maps = test::AllMaps({split.counts[1].attention});
  CHECK(std::memcmp(heads->bytes.data(), maps.data(), heads->bytes.size()) == 0);
  CHECK(file->Find("output_1")->shape == std::vector<std::int64_t>{9, 10});
  const TensorView* widths = file->Find("widths_5");
  REQUIRE(widths != nullptr);
  CHECK(widths->type == DataType::kI32);
  std::array<std::int32_t, 5> values{};
  std::memcpy(values.data(), widths->bytes.data(), widths->bytes.size());
  CHECK(values == std::array<std::int32_t, 5>{5, 5, 5, 5, 4});
  CHECK(file->Find("columns_5")->shape == std::vector<std::int64_t>{24});
}

TEST_CASE("Other endings are refused", "[headcount][export]") {
  const test::TempFolder folder;
  CHECK(WriteSplit(folder / "s.csv", MakeSplit(), {}).error().code == ErrorCode::kInput);
  CHECK(folder.Count() == 0);
}

}  // namespace
}  // namespace headscope
