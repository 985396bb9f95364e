// What the description of a model says of its logits, against those that transformers gives
// (add_logits.py).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/golden/golden_file.h"
#include "tests/reference/logits_reference.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

using test::Must;

TEST_CASE("descriptions carry all that logits need", "[golden][logits]") {
  int folders = 0;
  const auto families = test::SourceFolder() / "tests" / "golden" / "families";
  for (const auto& folder : std::filesystem::directory_iterator(families)) {
    if (!std::filesystem::exists(folder.path() / "logits.safetensors")) {
      continue;
    }
    INFO(folder.path().filename().string());
    ++folders;
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(folder.path() / "logits.safetensors"));
    const WeightStore attention =
        Must(WeightStore::OpenSafetensors(folder.path() / "attention.safetensors"));
    ForwardInput input;
    input.ids = test::ReadIds(attention, "token_ids");
    input.target_ids = test::ReadIds(attention, "target_ids");
    const auto model = Must(Model::Open(folder.path()));
    const std::vector<double> made = reference::Logits(model, input);
    const std::vector<float> expected = test::Values(test::Tensor(golden, "logits"));
    REQUIRE(made.size() == expected.size());
    const double own = std::stod(golden.metadata().find("own_error")->second);
    double worst = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < made.size(); ++i) {
      worst = std::max(worst, std::abs(made[i] - static_cast<double>(expected[i])));
      largest = std::max(largest, std::abs(made[i]));
    }
    CHECK(worst <= std::max(1e-5 * largest, 3.0 * own));
  }
  CHECK(folders >= 60);
}

}  // namespace
}  // namespace headscope
