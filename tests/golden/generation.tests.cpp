// Texts that generate() of transformers makes, greedily, as generation_config.json tells it to.
#include <filesystem>

#include "core/model/forward.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Must;

const fs::path kData = test::SourceFolder() / "tests" / "golden" / "data";

std::vector<std::int32_t> Ids(const JsonObject& object, const std::string& key) {
  std::vector<std::int32_t> ids;
  const auto list = Must(object.Array(key));
  REQUIRE(list.has_value());
  for (const JsonValue id : *list) {
    ids.push_back(static_cast<std::int32_t>(id.Integer().value()));
  }
  return ids;
}

// The model, with a generation_config.json beside it.
std::shared_ptr<const Model> Open(const std::string& name, const std::string& settings) {
  const test::TempFolder folder;
  for (const char* file : {"config.json", "model.safetensors"}) {
    fs::copy_file(kData / name / file, folder / file);
  }
  folder.Write("generation_config.json", settings);
  return Must(Model::Open(folder.path()));
}

}  // namespace

TEST_CASE("a target is generated as generation_config.json says", "[golden][generation]") {
  const JsonDocument document = Must(JsonDocument::Read(kData / "generation.json", 1'000'000));
  const auto cases = Must(Must(JsonObject::Root(document)).Array("cases"));
  REQUIRE(cases.has_value());
  CHECK(cases->size() >= 40);
  const auto backends = test::AllBackends();
  for (const JsonValue value : *cases) {
    const std::optional<JsonObject> one = JsonObject::Of(value, "generation.json");
    REQUIRE(one.has_value());
    const std::string settings = one->Value("settings").value().Minified();
    const std::string name = Must(one->String("model"));
    INFO(name << " " << settings);
    const auto model = Open(name, settings);
    for (const auto& backend : backends) {
      INFO(backend->Description());
      Forward forward(model, backend.get());
      ForwardInput input;
      input.ids = Ids(*one, "ids");
      CHECK(Must(forward.Generate(input, 128, {})) == Ids(*one, "generated"));
    }
  }
}

TEST_CASE("what no greedy choice can do is refused in a sentence", "[golden][generation]") {
  const auto backend = std::move(test::AllBackends().front());
  for (const char* settings : {R"({"guidance_scale": 1.5})",
                               R"({"stop_strings": ["x"]})",
                               R"({"penalty_alpha": 0.6, "top_k": 4})"}) {
    const auto model = Open("bart_plain", settings);
    Forward forward(model, backend.get());
    const auto refused = forward.Generate({.ids = {1, 2}, .embeddings = {}}, 8, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kUnsupported);
    CHECK_THAT(refused.error().message,
               test::Says("generation_config.json") && test::Says("give the target"));
  }
  CHECK(Open("bart_plain", R"({"guidance_scale": 1.0, "num_beams": 4, "do_sample": true})")
            ->description()
            .generation->choice.unsupported.empty());
}

}  // namespace headscope
