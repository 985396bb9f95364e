// GGUF files against what the gguf package makes of them (make_gguf.py).
#include "core/io/gguf.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/half.h"
#include "core/io/safetensors.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests" / "golden" / "gguf";

std::vector<float> Numbers(const TensorView& tensor) {
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  return values;
}

}  // namespace

TEST_CASE("every GGUF type gives the numbers that the gguf package gives", "[golden][gguf]") {
  const auto file = GgufFile::Open(kFolder / "types.gguf");
  REQUIRE(file);
  const auto golden = SafetensorsFile::Open(kFolder / "types.safetensors");
  REQUIRE(golden);
  CHECK(golden->tensors().size() == 11);
  for (const auto& [name, expected] : golden->tensors()) {
    INFO(name);
    const TensorView* tensor = file->weights.Find(name);
    REQUIRE(tensor != nullptr);
    CHECK(Name(tensor->type) == name);
    CHECK(tensor->shape == expected.shape);
    const std::vector<float> want = Numbers(expected);
    const std::vector<float> got = Numbers(*tensor);
    REQUIRE(got.size() == want.size());
    std::size_t differences = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      // A machine that fuses the product and the sum rounds once where the package rounds twice.
      differences += std::abs(got[i] - want[i]) <= 1e-6F * std::abs(want[i]) + 1e-7F ? 0U : 1U;
    }
    CHECK(differences == 0);
  }
}

}  // namespace headscope
