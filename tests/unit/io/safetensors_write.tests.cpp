#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "core/base/random.h"
#include "core/io/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::Says;
using test::TempFolder;

template <typename T>
std::span<const std::byte> Bytes(const T& values) {
  return std::as_bytes(std::span(values));
}

TEST_CASE("the written file is the format's, byte for byte", "[io][safetensors]") {
  const TempFolder folder;
  const std::array<std::uint8_t, 3> last = {7, 8, 9};
  const std::array<TensorView, 2> tensors = {
      TensorView{"z", DataType::kU16, {1, 1}, Bytes(last).first(2)},
      TensorView{"a", DataType::kU8, {1}, Bytes(last).last(1)}};
  REQUIRE(WriteSafetensors(folder / "out", tensors, {{"model", "probe"}}));
  const std::string header = R"({"__metadata__":{"model":"probe"},)"
                             R"("z":{"dtype":"U16","shape":[1,1],"data_offsets":[0,2]},)"
                             R"("a":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  REQUIRE(padded.size() < 256);
  CHECK(ReadText(folder / "out") ==
        static_cast<char>(padded.size()) + std::string(7, '\0') + padded + "\x07\x08\x09");
}

TEST_CASE("what is written is read back, whatever the shapes and types", "[io][safetensors]") {
  const TempFolder folder;
  RandomStream random(GENERATE(1U, 2U, 3U, 4U, 5U));
  constexpr std::array kTypes = {DataType::kF32,
                                 DataType::kF64,
                                 DataType::kBf16,
                                 DataType::kBool,
                                 DataType::kI16,
                                 DataType::kU64};
  std::vector<std::string> storage;
  std::vector<TensorView> tensors;
  const std::uint64_t count = random.Below(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    TensorView tensor{"layer." + std::to_string(random.Below(1000)) + "." + std::to_string(i),
                      kTypes[random.Below(kTypes.size())],
                      {},
                      {}};
    std::size_t bytes = ByteSize(tensor.type);
    for (std::uint64_t axis = random.Below(4); axis > 0; --axis) {
      tensor.shape.push_back(static_cast<std::int64_t>(random.Below(6)));
      bytes *= static_cast<std::size_t>(tensor.shape.back());
    }
    std::string values(bytes, '\0');
    for (char& value : values) {
      value = static_cast<char>(random.Below(256));
    }
    storage.push_back(std::move(values));
    tensors.push_back(std::move(tensor));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].bytes = Bytes(storage[i]);
  }
  const std::map<std::string, std::string> metadata = {{"tokens", R"(["Ġthe","\n"])"},
                                                       {"line\nbreak", "\"quoted\" \\ \x01"}};

  REQUIRE(WriteSafetensors(folder / "out", tensors, metadata));
  const Result<WeightStore> file = WeightStore::OpenSafetensors(folder / "out");
  REQUIRE(file);
  CHECK(file->files().front().header.size() % 8 == 0);
  CHECK(file->metadata() == MetadataMap(metadata.begin(), metadata.end()));
  REQUIRE(file->tensors().size() == tensors.size());
  for (const TensorView& tensor : tensors) {
    const TensorView* read = file->Find(tensor.name);
    REQUIRE(read != nullptr);
    CHECK(read->type == tensor.type);
    CHECK(read->shape == tensor.shape);
    CHECK(std::ranges::equal(read->bytes, tensor.bytes));
  }
}

TEST_CASE("metadata that is not UTF-8 cannot make a file that nobody opens", "[io][safetensors]") {
  const TempFolder folder;
  REQUIRE(WriteSafetensors(folder / "out", {}, {{"model", "caf\xE9"}}));
  const Result<WeightStore> file = WeightStore::OpenSafetensors(folder / "out");
  REQUIRE(file);
  CHECK(file->metadata().at("model") == "caf\uFFFD");
}

TEST_CASE("an output that cannot be written leaves nothing", "[io][safetensors]") {
  const TempFolder folder;
  const Status status = WriteSafetensors(folder / "missing/out", {}, {});
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK_THAT(status.error().message, Says((folder / "missing/out").string()));
  CHECK(folder.Count() == 0);
}

}  // namespace
}  // namespace headscope
