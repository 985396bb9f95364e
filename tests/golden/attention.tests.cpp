// Small random models of odd settings against the attention that transformers gives for them.
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/io/json.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Must;
using test::ReadIds;
using test::Tensor;
using test::Values;

const fs::path kData = test::SourceFolder() / "tests" / "golden" / "data";

struct GoldenCase {
  std::string name;
  std::string family;
};

std::vector<GoldenCase> Cases(const char* file, double* tolerance) {
  const JsonDocument manifest = Must(JsonDocument::Read(kData / file, 1'000'000));
  const JsonObject root = Must(JsonObject::Root(manifest));
  *tolerance = Must(root.Number("tolerance", 0.0, 1e-4));
  const std::optional<JsonArray> list = Must(root.Array("cases"));
  REQUIRE(list.has_value());
  std::vector<GoldenCase> cases;
  for (const JsonValue one : *list) {
    const std::optional<JsonObject> object = JsonObject::Of(one, file);
    REQUIRE(object.has_value());
    const JsonObject& entry = *object;
    cases.push_back({Must(entry.String("name")), Must(entry.String("family"))});
  }
  return cases;
}

void CheckMaps(const test::Layers& layers, const TensorView& tensor, double tolerance) {
  const std::vector<float> expected = Values(tensor);
  const std::vector<std::int64_t>& shape = tensor.shape;
  REQUIRE(shape.size() == 4);
  REQUIRE(static_cast<std::int64_t>(layers.size()) == shape[0]);
  const auto queries = static_cast<std::size_t>(shape[2]);
  const auto keys = static_cast<std::size_t>(shape[3]);
  std::span<const float> rest = expected;
  for (const auto& layer : layers) {
    REQUIRE(layer->shape().heads == shape[1]);
    const double made_bound = test::WeightBound(test::ScoreBound(*layer), shape[3]);
    for (std::int64_t head = 0; head < shape[1]; ++head) {
      INFO("L" << layer->layer() << "H" << head);
      const std::vector<float> map = test::MapOf(*layer, head);
      const std::span<const float> own = rest.first(map.size());
      CHECK(test::LargestDifference(map, own) < tolerance);
      rest = rest.subspan(map.size());
      const std::vector<float>& made = layer->thumbnail(head).mean;
      for (std::size_t query = 0; query < queries; ++query) {
        double sum = 0.0;
        for (std::size_t key = 0; key < keys; ++key) {
          const std::size_t cell = query * keys + key;
          sum += static_cast<double>(map[cell]);
          if (!layer->Visible(static_cast<std::int64_t>(query), static_cast<std::int64_t>(key))) {
            CHECK(map[cell] == 0.0F);
            CHECK(made[cell] == kMasked);
            CHECK(own[cell] == 0.0F);
          } else {
            CHECK((key <= query || !layer->rule().causal));
            CHECK(static_cast<double>(std::abs(map[cell] - made[cell])) <= made_bound);
          }
        }
        CHECK(std::abs(sum - 1.0) <= 1.001 * test::kUnit);  // made in double, rounded once
      }
    }
  }
}

void CheckFolder(const fs::path& folder, const fs::path& attention, double tolerance) {
  const std::shared_ptr<const Model> model = Must(Model::Open(folder));
  const WeightStore golden = Must(WeightStore::OpenSafetensors(attention));
  for (const auto& backend : test::AllBackends()) {
    INFO(backend->Description());
    for (int index = 0; golden.Find(index == 0 ? "attention" : fmt::format("attention_{}", index));
         ++index) {
      const std::string suffix = index == 0 ? "" : fmt::format("_{}", index);
      ForwardInput input;
      input.ids = ReadIds(golden, "token_ids" + suffix);
      input.segment_ids = ReadIds(golden, "segment_ids" + suffix);
      REQUIRE(!input.ids.empty());
      INFO("input " << index << " of " << input.ids.size() << " tokens");
      const test::Layers layers = test::CaptureAll(model, backend.get(), input, true);
      CheckMaps(layers, Tensor(golden, "attention" + suffix), tolerance);
      for (const auto& layer : layers) {
        const std::string before = fmt::format("attn_input_{}", layer->layer());
        if (index > 0 || golden.Find(before) == nullptr) {
          continue;
        }
        // States are sums of many terms and as large as their weights, unlike probabilities.
        const double state_tolerance = 5.0 * tolerance;
        CHECK(test::LargestDifference(layer->content().projection_input,
                                      Values(Tensor(golden, before))) < state_tolerance);
        const std::string after = fmt::format("attn_output_{}", layer->layer());
        CHECK(test::LargestDifference(layer->content().attention_output,
                                      Values(Tensor(golden, after))) < state_tolerance);
      }
    }
  }
}

}  // namespace

TEST_CASE("every golden model gives the attention transformers gives", "[golden][attention]") {
  for (const char* manifest : {"manifest.json", "encoders.json"}) {
    double tolerance = 0.0;
    const std::vector<GoldenCase> cases = Cases(manifest, &tolerance);
    CHECK(cases.size() >= 10);
    for (const GoldenCase& one : cases) {
      INFO(one.name);
      CHECK(Must(Model::Open(kData / one.name))->description().family == one.family);
      CheckFolder(kData / one.name, kData / one.name / "attention.safetensors", tolerance);
    }
  }
}

TEST_CASE("every golden encoder-decoder gives the maps of its three parts, and says the same",
          "[golden][attention]") {
  const JsonDocument manifest =
      Must(JsonDocument::Read(kData / "encoder_decoders.json", 1'000'000));
  const auto cases = Must(Must(JsonObject::Root(manifest)).Array("cases"));
  REQUIRE(cases.has_value());
  CHECK(cases->size() >= 10);
  for (const JsonValue one : *cases) {
    const std::optional<JsonObject> object = JsonObject::Of(one, "encoder_decoders.json");
    REQUIRE(object.has_value());
    const JsonObject& entry = *object;
    const std::string name = Must(entry.String("name"));
    INFO(name);
    const double tolerance = Must(entry.Number("tolerance", 0.0, 1e-3));
    const std::shared_ptr<const Model> model = Must(Model::Open(kData / name));
    CHECK(model->description().family == Must(entry.String("family")));
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(kData / name / "attention.safetensors"));
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      for (int index = 0; golden.Find(index == 0 ? "cross" : fmt::format("cross_{}", index));
           ++index) {
        const std::string suffix = index == 0 ? "" : fmt::format("_{}", index);
        ForwardInput input;
        input.ids = ReadIds(golden, "token_ids" + suffix);
        input.target_ids = ReadIds(golden, "target_ids" + suffix);
        for (const ModelPart part : PartsOf(model->description())) {
          const std::string key(PartName(part));
          INFO(key + suffix);
          const test::Layers layers = test::CaptureAll(model, backend.get(), input, false, part);
          CheckMaps(layers, Tensor(golden, key + suffix), tolerance);
        }
        // None where the class that made the maps has no output layer.
        const std::vector<std::int32_t> said = ReadIds(golden, "generated_ids" + suffix);
        if (!said.empty()) {
          Forward forward(model, backend.get());
          input.target_ids.clear();
          CHECK(Must(forward.Generate(input, 12, {})) == said);
        }
      }
    }
  }
}

TEST_CASE("the built-in probe gives the attention transformers gives", "[golden][attention]") {
  CheckFolder(test::SourceFolder() / "assets" / "models" / "probe",
              kData / "probe_attention.safetensors",
              1e-5);
}

TEST_CASE("weights stored as F16 and BF16 say so", "[golden][model]") {
  CHECK(Must(Model::Open(kData / "gpt2_f16"))->description().precision == "F16");
  CHECK(Must(Model::Open(kData / "llama_bf16"))->description().precision == "BF16");
  CHECK(Must(Model::Open(kData / "gpt2_plain"))->description().precision == "F32");
}

}  // namespace headscope
