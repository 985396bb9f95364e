#include "core/figure/attention_export.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "core/io/safetensors.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

AttentionExport MakeExport(std::vector<std::int64_t> layers) {
  AttentionExport attention;
  for (const std::int64_t layer : layers) {
    attention.layers.push_back(test::EvenLayer(layer, 2, 3));
  }
  attention.encoding = *test::Words({"<s>", "\u0120the", "a \"b\"\n"});
  attention.model = "probe";
  attention.family = "gpt2";
  attention.precision = "f32";
  return attention;
}

TEST_CASE("Attention comes back from a safetensors file with everything about it",
          "[figure][export]") {
  const test::TempFolder folder;
  const auto path = folder / "a.safetensors";
  REQUIRE(WriteAttention(path, MakeExport({0, 1, 2, 5}), {}).has_value());
  const auto file = WeightStore::OpenSafetensors(path);
  REQUIRE(file.has_value());
  const TensorView* attention = file->Find("attention");
  REQUIRE(attention != nullptr);
  CHECK(attention->type == DataType::kF32);
  CHECK(attention->shape == std::vector<std::int64_t>{4, 2, 3, 3});
  const std::vector<float> expected = {
      1.0F, 0.0F, 0.0F, 0.5F, 0.5F, 0.0F, 1.0F / 3.0F, 1.0F / 3.0F, 1.0F / 3.0F};
  std::vector<float> last(9);
  std::memcpy(last.data(), attention->bytes.data() + 4 * 7 * 9, 36);
  CHECK(last == expected);
  const auto& metadata = file->metadata();
  CHECK(metadata.at("tokens") == "[\"<s>\",\"\u0120the\",\"a \\\"b\\\"\\n\"]");
  CHECK(metadata.at("token_ids") == "[0,1,2]");
  CHECK(metadata.at("model") == "probe");
  CHECK(metadata.at("family") == "gpt2");
  CHECK(metadata.at("precision") == "f32");
  CHECK(metadata.at("layers") == "0-2,5");
}

TEST_CASE("Rows made a block at a time are the whole maps", "[figure][export]") {
  const test::TempFolder folder;
  AttentionExport attention;
  const std::int64_t tokens = 1500;  // more than one block a head, and a short last one
  attention.layers = {test::EvenLayer(0, 2, tokens), test::EvenLayer(1, 2, tokens)};
  attention.encoding = *test::NumberedWords(tokens);
  const auto cells = static_cast<std::size_t>(tokens * tokens);
  std::vector<float> map(cells);
  attention.layers[0]->Map(1, map);
  REQUIRE(WriteAttention(folder / "a.safetensors", attention, {}).has_value());
  const auto file = WeightStore::OpenSafetensors(folder / "a.safetensors");
  REQUIRE(file.has_value());
  const auto bytes = file->Find("attention")->bytes;
  REQUIRE(bytes.size() == 4 * 4 * cells);
  for (std::size_t head = 0; head < 4; ++head) {
    CHECK(std::ranges::equal(bytes.subspan(4 * head * cells, 4 * cells),
                             std::as_bytes(std::span(map))));
  }
  REQUIRE(WriteAttention(folder / "a.npz", attention, {}).has_value());
  const std::string archive = test::ReadText(folder / "a.npz");
  const std::string_view stored(reinterpret_cast<const char*>(map.data()), 4 * cells);
  CHECK(archive.find(stored) != std::string::npos);
}

TEST_CASE("Attention is written as an archive of arrays", "[figure][export]") {
  const test::TempFolder folder;
  const auto path = folder / "a.npz";
  REQUIRE(WriteAttention(path, MakeExport({3}), {}).has_value());
  const std::string bytes = test::ReadText(path);
  CHECK(bytes.substr(0, 2) == "PK");
  for (const char* entry : {"attention.npy",
                            "tokens.npy",
                            "token_ids.npy",
                            "model.npy",
                            "family.npy",
                            "precision.npy",
                            "layers.npy"}) {
    CHECK(bytes.find(entry) != std::string::npos);
  }
  CHECK(bytes.find("'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3, 3)") !=
        std::string::npos);
}

TEST_CASE("An export that cannot be leaves nothing behind", "[figure][export]") {
  const test::TempFolder folder;
  const AttentionExport attention = MakeExport({0});
  CHECK(WriteAttention(folder / "a.csv", attention, {}).error().code == ErrorCode::kInput);
  CHECK(WriteAttention(folder / "none/a.npz", attention, {}).error().code == ErrorCode::kIo);
  std::stop_source source;
  source.request_stop();
  CHECK(WriteAttention(folder / "a.npz", attention, source.get_token()).error().code ==
        ErrorCode::kCancelled);
  CHECK(folder.Count() == 0);
}

TEST_CASE("Attention larger than the disk is refused before it is made", "[figure][export]") {
  const test::TempFolder folder;
  AttentionExport attention = MakeExport({});
  const auto large = test::EvenLayer(0, 1, 2000);
  attention.layers.assign(2000000, large);  // 32 TB
  const auto status = WriteAttention(folder / "a.safetensors", attention, {});
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK(status.error().message.find("[2000000,1,2000,2000]") != std::string::npos);
  CHECK(folder.Count() == 0);
}

}  // namespace
}  // namespace headscope
