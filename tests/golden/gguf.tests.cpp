// GGUF files against what the gguf package makes of them (make_gguf.py).
#include "core/io/gguf.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/half.h"
#include "core/model/gguf_architecture.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

using test::Must;

const std::filesystem::path kFolder = test::SourceFolder() / "tests" / "golden" / "gguf";

std::vector<float> Numbers(const TensorView& tensor) {
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  return values;
}

struct PartName {
  const char* name;
  std::optional<ModelPart> part;
};
constexpr std::array<PartName, 4> kPartNames = {{{"attention", std::nullopt},
                                                 {"encoder", ModelPart::kEncoder},
                                                 {"decoder", ModelPart::kDecoder},
                                                 {"cross", ModelPart::kCross}}};

// Compares every map of the file's model.
void CheckMaps(const std::filesystem::path& path, const WeightStore& golden) {
  ForwardInput input;
  input.ids = test::ReadIds(golden, "token_ids");
  if (golden.Find("decoder") != nullptr) {
    input.target_ids = test::ReadIds(golden, "target_ids");
  }
  const auto model = Must(Model::Open(path));
  for (const auto& backend : test::AllBackends()) {
    for (const PartName& part : kPartNames) {
      const TensorView* expected = golden.Find(part.name);
      if (expected == nullptr) {
        continue;
      }
      INFO(path << ", " << part.name << ", " << backend->Description());
      const auto maps =
          test::AllMaps(test::CaptureAll(model, backend.get(), input, false, part.part));
      CHECK(test::LargestDifference(maps, Numbers(*expected)) < 1e-5);
    }
  }
}

}  // namespace

TEST_CASE("GGUF models give the attention transformers gives, in every type", "[golden][gguf]") {
  int files = 0;
  std::set<std::string> architectures;
  for (const auto& folder : std::filesystem::directory_iterator(kFolder)) {
    if (!folder.is_directory()) {
      continue;
    }
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(folder.path() / "attention.safetensors"));
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".gguf") {
        ++files;
        CheckMaps(entry.path(), golden);
        const auto file = Must(GgufFile::Open(entry.path()));
        architectures.insert(Must(file.metadata.String("general.architecture")));
      }
    }
  }
  CHECK(files == 74);
  for (const GgufArchitecture& one : GgufArchitectures()) {
    INFO(one.id);
    CHECK(architectures.contains(std::string(one.id)));
  }
}

TEST_CASE("a GGUF model says which type most of it is stored in", "[golden][gguf]") {
  for (const char* type : {"F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0"}) {
    std::string name = type;
    for (char& c : name) {
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const auto model = Must(Model::Open(kFolder / "llama" / (name + ".gguf")));
    CHECK(model->description().precision == type);
    CHECK(model->name() == name);
  }
}

TEST_CASE("every GGUF type gives the numbers that the gguf package gives", "[golden][gguf]") {
  const auto file = GgufFile::Open(kFolder / "types.gguf");
  REQUIRE(file);
  const auto golden = WeightStore::OpenSafetensors(kFolder / "types.safetensors");
  REQUIRE(golden);
  CHECK(golden->tensors().size() == 16);
  for (const auto& [name, expected] : golden->tensors()) {
    INFO(name);
    const TensorView* tensor = file->weights.Find(name);
    REQUIRE(tensor != nullptr);
    CHECK(Name(tensor->type) == name);
    CHECK(tensor->shape == expected.shape);
    const std::vector<float> want = Numbers(expected);
    const std::vector<float> got = Numbers(*tensor);
    REQUIRE(got.size() == want.size());
    CHECK(std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0);
  }
}

}  // namespace headscope
