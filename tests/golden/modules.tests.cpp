// Attention modules of odd settings against what torch.nn.MultiheadAttention gives for them.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/headcount/split.h"
#include "core/io/json.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Must;
using test::Tensor;
using test::Values;

const fs::path kModules = test::SourceFolder() / "tests" / "golden" / "modules";

struct ModuleCase {
  std::string name;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

std::vector<ModuleCase> Cases(double* tolerance) {
  const JsonDocument manifest = Must(JsonDocument::Read(kModules / "manifest.json", 1'000'000));
  const JsonObject root = Must(JsonObject::Root(manifest));
  *tolerance = Must(root.Number("tolerance", 0.0, 1e-4));
  const auto list = Must(root.Array("cases"));
  REQUIRE(list.has_value());
  std::vector<ModuleCase> cases;
  for (const JsonValue one : *list) {
    const std::optional<JsonObject> object = JsonObject::Of(one, "manifest.json");
    REQUIRE(object.has_value());
    const JsonObject& entry = *object;
    cases.push_back({Must(entry.String("name")),
                     Must(entry.Integer("model_dim", 1, 1000)),
                     Must(entry.Integer("heads", 1, 1000)),
                     Must(entry.Integer("queries", 1, 1000)),
                     Must(entry.Integer("keys", 1, 1000))});
  }
  return cases;
}

std::vector<float> ValuesOr(const WeightStore& file, const char* name) {
  const TensorView* tensor = file.Find(name);
  return tensor == nullptr ? std::vector<float>() : Values(*tensor);
}

TEST_CASE("every golden module gives the maps and the output that torch gives",
          "[golden][module]") {
  double tolerance = 0.0;
  for (const ModuleCase& one : Cases(&tolerance)) {
    INFO(one.name);
    const auto model =
        Must(Model::Open(kModules / one.name / "module.safetensors", {.heads = one.heads}));
    CHECK(model->description().model_dim == one.width);
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(kModules / one.name / "attention.safetensors"));
    ForwardInput input;
    input.embeddings = Values(Tensor(golden, "embeddings"));
    input.key_embeddings = ValuesOr(golden, "key_embeddings");
    input.value_embeddings = ValuesOr(golden, "value_embeddings");
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      const test::Layers layers = test::CaptureAll(model, backend.get(), input, true);
      REQUIRE(layers.size() == 1);
      const LayerAttention& layer = *layers[0];
      REQUIRE(layer.shape().queries == one.queries);
      REQUIRE(layer.shape().keys == one.keys);
      REQUIRE(layer.shape().heads == one.heads);
      const std::vector<float> expected = Values(Tensor(golden, "attention"));
      CHECK(test::LargestDifference(test::AllMaps(layers), expected) < tolerance);
      CHECK(test::LargestDifference(layer.content().attention_output,
                                    Values(Tensor(golden, "attn_output"))) < 5.0 * tolerance);

      Forward forward(model, backend.get());
      const SplitResult split =
          Must(SplitLayer(&forward, layers[0], {.head_counts = {one.heads}}, {}));
      CHECK(test::LargestDifference(test::AllMaps({split.counts[0].attention}), expected) <
            tolerance);
      CHECK(split.counts[0].output_difference < tolerance);
    }
  }
}

}  // namespace
}  // namespace headscope
