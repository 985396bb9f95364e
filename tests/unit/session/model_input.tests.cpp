#include "core/session/model_input.h"

#include <filesystem>

#include "tests/support/catch.h"

namespace headscope {
namespace {

const std::filesystem::path kProbe =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "assets/models/probe";
const std::filesystem::path kNoTokenizer =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/golden/data/gpt2_plain";

std::shared_ptr<const Model> Open(const std::filesystem::path& folder) {
  const auto model = Model::Open(folder);
  REQUIRE(model);
  return *model;
}

TEST_CASE("PrepareInput refuses what cannot be run, with a sentence", "[session][input]") {
  const auto model = Open(kProbe);
  InputText input;
  SECTION("an empty text") {
    const auto refused = PrepareInput(*model, input, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInput);
  }
  SECTION("more tokens than positions, with both numbers") {
    const auto positions = model->description().positions;
    input.ids.assign(static_cast<std::size_t>(positions + 1), 1);
    const auto refused = PrepareInput(*model, input, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find(std::to_string(positions)) != std::string::npos);
    CHECK(refused.error().message.find(std::to_string(positions + 1)) != std::string::npos);
  }
  SECTION("an id past the vocabulary") {
    input.ids = {static_cast<std::int32_t>(model->description().vocabulary)};
    REQUIRE_FALSE(PrepareInput(*model, input, {}));
  }
}

TEST_CASE("a model without a tokenizer takes ids and says so when given text", "[session][input]") {
  const auto model = Open(kNoTokenizer);
  InputText input;
  input.text = "hello";
  const auto refused = PrepareInput(*model, input, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("--ids") != std::string::npos);
  input.ids = {1, 2};
  REQUIRE(PrepareInput(*model, input, {}));
}

TEST_CASE("embeddings must be as wide as the model", "[session][input]") {
  const auto model = Open(kProbe);
  const std::int64_t width = model->description().model_dim;
  const auto good = PrepareEmbeddings(
      *model, std::vector<float>(static_cast<std::size_t>(2 * width)), 2, width, "x.npy");
  REQUIRE(good);
  CHECK(good->encoding->tokens.size() == 2);
  const auto refused = PrepareEmbeddings(*model, std::vector<float>(6), 2, 3, "x.npy");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("x.npy") == 0);
}

}  // namespace
}  // namespace headscope
