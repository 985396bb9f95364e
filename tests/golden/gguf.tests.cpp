// GGUF files against what the gguf package makes of them (make_gguf.py).
#include "core/io/gguf.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/half.h"
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

// Every map of the file's model, one after the other.
std::vector<float> Maps(const std::filesystem::path& path,
                        Backend* backend,
                        const ForwardInput& input) {
  return test::AllMaps(test::CaptureAll(Must(Model::Open(path)), backend, input));
}

}  // namespace

TEST_CASE("GGUF models give the attention transformers gives, in every type", "[golden][gguf]") {
  int files = 0;
  for (const char* architecture : {"llama",
                                   "llama3",
                                   "gpt2",
                                   "qwen2",
                                   "qwen3",
                                   "gemma",
                                   "gemma2",
                                   "phi2",
                                   "gptneox",
                                   "bert"}) {
    const std::filesystem::path folder = kFolder / architecture;
    const WeightStore golden = Must(WeightStore::OpenSafetensors(folder / "attention.safetensors"));
    const std::vector<float> expected = Numbers(*golden.Find("attention"));
    ForwardInput input;
    input.ids = test::ReadIds(golden, "token_ids");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".gguf") {
        continue;
      }
      ++files;
      for (const auto& backend : test::AllBackends()) {
        INFO(entry.path() << ", " << backend->Description());
        CHECK(test::LargestDifference(Maps(entry.path(), backend.get(), input), expected) < 1e-5);
      }
    }
  }
  CHECK(files == 17);
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
