#include "core/worker/model_input.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

const std::filesystem::path kProbeModel = test::SourceFolder() / "assets/models/probe";
const std::filesystem::path kNoTokenizer = test::SourceFolder() / "tests/golden/data/gpt2_plain";

std::shared_ptr<const Model> Open(const std::filesystem::path& folder) {
  const auto model = Model::Open(folder);
  REQUIRE(model);
  return *model;
}

TEST_CASE("PrepareInput refuses what cannot be run, with a sentence", "[worker][input]") {
  const auto model = Open(kProbeModel);
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

TEST_CASE("a model without a tokenizer takes ids and says so when given text", "[worker][input]") {
  const auto model = Open(kNoTokenizer);
  InputText input;
  input.text = "hello";
  const auto refused = PrepareInput(*model, input, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("ids: 5, 17, 3") != std::string::npos);
  input.ids = {1, 2};
  REQUIRE(PrepareInput(*model, input, {}));
}

// A .npy of zeros.
std::filesystem::path Zeros(const test::TempFolder& folder,
                            const std::string& name,
                            const std::string& shape,
                            std::size_t count) {
  return folder.Write(name,
                      test::NpyBytes("<f4", shape + ",", std::string(count * sizeof(float), '\0')));
}

TEST_CASE("embeddings must be as wide as the model", "[worker][input]") {
  const auto model = Open(kProbeModel);
  const auto width = static_cast<std::size_t>(model->description().model_dim);
  const test::TempFolder folder;
  InputText input;
  input.embeddings = Zeros(folder, "x.npy", "2, " + std::to_string(width), 2 * width);
  const auto good = PrepareInput(*model, input, {});
  REQUIRE(good);
  CHECK(good->encoding->tokens.size() == 2);
  CHECK(good->keys == nullptr);
  for (const char* shape : {"2, 3", "6", "0, 3"}) {
    input.embeddings = Zeros(folder, "x.npy", shape, shape[0] == '0' ? 0 : 6);
    const auto refused = PrepareInput(*model, input, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find(input.embeddings.string()) == 0);
    CHECK(refused.error().code == ErrorCode::kShape);
  }
  input.embeddings = Zeros(folder, "x.npy", "1, " + std::to_string(width), width);
  input.key_embeddings = input.embeddings;
  const auto keys = PrepareInput(*model, input, {});
  REQUIRE_FALSE(keys);
  CHECK(keys.error().message.find("--key-embeddings") != std::string::npos);
}

TEST_CASE("embeddings keep the target beside them, where a decoder reads one", "[worker][input]") {
  const test::TempFolder folder;
  const auto read = [&](const char* name) {
    const auto model = Open(test::SourceFolder() / "tests/golden/data" / name);
    const auto width = static_cast<std::size_t>(model->description().model_dim);
    InputText input;
    input.embeddings = Zeros(folder, "x.npy", "2, " + std::to_string(width), 2 * width);
    input.target_ids = {2, 5, 7};
    return PrepareInput(*model, input, {});
  };
  const auto both = read("bart_plain");
  REQUIRE(both);
  CHECK(both->forward.target_ids == std::vector<std::int32_t>{2, 5, 7});
  REQUIRE(both->target != nullptr);
  CHECK(both->target->tokens.size() == 3);
  const auto refused = read("gpt2_plain");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("no decoder that reads one") != std::string::npos);
}

}  // namespace
}  // namespace headscope
