// Trained models from outside the project, against what other programs computed for them.
#include <cstring>
#include <filesystem>
#include <memory>

#include <glib.h>

#include "core/io/json.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = test::SharedData() / "models";

JsonDocument ReadJson(const fs::path& path) {
  Result<JsonDocument> document = JsonDocument::Read(path, 64'000'000);
  INFO((document ? "" : document.error().message));
  REQUIRE(document.has_value());
  return std::move(*document);
}

std::shared_ptr<const Model> OpenModel(const fs::path& folder) {
  Result<std::shared_ptr<const Model>> model = Model::Open(folder);
  INFO((model ? "" : model.error().message));
  REQUIRE(model.has_value());
  return *model;
}

JsonArray Items(JsonValue list) {
  const std::optional<JsonArray> items = list.Array();
  REQUIRE(items.has_value());
  return *items;
}

JsonValue At(JsonValue object, std::string_view key) {
  const std::optional<JsonValue> value = object.Find(key);
  REQUIRE(value.has_value());
  return *value;
}

// Raw little-endian float32 in base64.
std::vector<float> Decode(JsonValue tensor) {
  const std::string text(At(tensor, "data").Text().value());
  gsize size = 0;
  const std::unique_ptr<guchar, decltype(&g_free)> bytes(g_base64_decode(text.c_str(), &size),
                                                         g_free);
  std::vector<float> values(size / sizeof(float));
  std::memcpy(values.data(), bytes.get(), values.size() * sizeof(float));
  return values;
}

std::span<const float> Part(const std::vector<float>& values, std::size_t index, std::size_t size) {
  return std::span(values).subspan(index * size, size);
}

}  // namespace

TEST_CASE("a trained Llama gives the attention of a float64 forward", "[shared][llama]") {
  const auto model = OpenModel(kModels / "stories260K" / "hf");
  CHECK(model->name() == "stories260K");
  CHECK(model->parameters() == 260'032);
  const JsonDocument reference = ReadJson(kModels / "stories260K" / "reference_attention.json");
  for (const auto& backend : test::AllBackends()) {
    INFO(backend->Description());
    int texts = 0;
    for (const JsonValue one : Items(At(reference.root(), "refs"))) {
      ForwardInput input;
      for (const JsonValue id : Items(At(one, "ids"))) {
        input.ids.push_back(static_cast<std::int32_t>(id.Integer().value()));
      }
      const test::Layers layers = test::CaptureAll(model, backend.get(), input);
      double largest = 0.0;
      std::size_t layer = 0;
      for (const JsonValue heads : Items(At(one, "attention"))) {
        std::int64_t head = 0;
        for (const JsonValue rows : Items(heads)) {
          std::vector<float> expected;
          for (const JsonValue row : Items(rows)) {
            for (const JsonValue weight : Items(row)) {
              expected.push_back(static_cast<float>(weight.Number().value()));
            }
          }
          largest = std::max(largest,
                             test::LargestDifference(test::MapOf(*layers[layer], head), expected));
          ++head;
        }
        CHECK(head == 8);
        ++layer;
      }
      CHECK(layer == 5);
      CHECK(largest < 1e-4);
      ++texts;
    }
    CHECK(texts > 0);
  }
}

TEST_CASE("a trained GPT-2 layout gives the partial results printed for it", "[shared][gpt2]") {
  const auto model = OpenModel(kModels / "nanogpt" / "hf");
  const JsonDocument partials = ReadJson(kModels / "nanogpt" / "gpt-nano-sort-t0-partials.json");
  const JsonValue root = partials.root();
  constexpr std::size_t kTokens = 11;
  constexpr std::size_t kHeads = 3;
  constexpr std::size_t kCells = kHeads * kTokens * 16;
  const std::vector<float> ids = Decode(At(root, "idx"));
  const std::vector<float> weights = Decode(At(root, "attSm"));
  const std::vector<float> norm = Decode(At(root, "ln1"));
  const std::vector<float> output = Decode(At(root, "yProj"));
  const std::vector<float> queries = Decode(At(root, "q"));
  const std::vector<float> keys = Decode(At(root, "k"));
  const std::vector<float> values = Decode(At(root, "v"));
  const std::vector<float> scores = Decode(At(root, "att"));
  REQUIRE(ids.size() == 3 * kTokens);
  for (const auto& backend : test::AllBackends()) {
    INFO(backend->Description());
    for (std::size_t text = 0; text < 3; ++text) {
      ForwardInput input;
      for (const float id : Part(ids, text, kTokens)) {
        input.ids.push_back(static_cast<std::int32_t>(id));
      }
      const test::Layers layers = test::CaptureAll(model, backend.get(), input, true);
      const LayerAttention& layer = *layers[0];
      CHECK(test::LargestDifference(layer.content().projection_input,
                                    Part(norm, text, kTokens * 48)) < 1e-5);
      CHECK(test::LargestDifference(layer.content().attention_output,
                                    Part(output, text, kTokens * 48)) < 1e-5);
      for (std::size_t head = 0; head < kHeads; ++head) {
        const auto head_index = static_cast<std::int64_t>(head);
        CHECK(test::LargestDifference(test::MapOf(layer, head_index),
                                      Part(weights, text * kHeads + head, kTokens * kTokens)) <
              1e-5);
        for (std::size_t token = 0; token < kTokens; ++token) {
          const auto offset = static_cast<std::ptrdiff_t>((token * kHeads + head) * 16);
          const std::size_t row = text * kCells / 16 + head * kTokens + token;
          const auto near = [&](const std::vector<float>& ours, const std::vector<float>& theirs) {
            return test::LargestDifference(
                std::span(ours).subspan(static_cast<std::size_t>(offset), 16),
                Part(theirs, row, 16));
          };
          CHECK(near(layer.content().queries, queries) < 1e-5);
          CHECK(near(layer.content().keys, keys) < 1e-5);
          CHECK(near(layer.content().values, values) < 1e-5);
          for (std::size_t key = 0; key <= token; ++key) {
            const auto score = static_cast<double>(scores[row * kTokens + key]);
            CHECK(std::abs(layer.Score(head_index,
                                       static_cast<std::int64_t>(token),
                                       static_cast<std::int64_t>(key)) -
                           score) < 1e-4);
          }
        }
      }
    }
  }
}

TEST_CASE("a trained BART gives its maps, and says what it said elsewhere", "[shared][bart]") {
  const auto model = OpenModel(kModels / "g2p-bart-us");
  const JsonDocument reference = ReadJson(kModels / "g2p-bart-us" / "reference.json");
  const auto ids = [](JsonValue list) {
    std::vector<std::int32_t> numbers;
    for (const JsonValue id : Items(list)) {
      numbers.push_back(static_cast<std::int32_t>(id.Integer().value()));
    }
    return numbers;
  };
  for (const auto& backend : test::AllBackends()) {
    INFO(backend->Description());
    int words = 0;
    for (const JsonValue one : Items(reference.root())) {
      INFO(At(one, "word").Text().value());
      ForwardInput input;
      input.ids = ids(At(one, "source_ids"));
      std::vector<std::int32_t> said = ids(At(one, "target_ids"));
      said.pop_back();  // the end
      Forward forward(model, backend.get());
      const auto generated = forward.Generate(input, 32, {});
      REQUIRE(generated.has_value());
      CHECK(*generated == said);
      input.target_ids = said;
      for (const ModelPart part : PartsOf(model->description())) {
        INFO(PartName(part));
        const test::Layers layers = test::CaptureAll(model, backend.get(), input, false, part);
        REQUIRE(layers.size() == 1);
        std::vector<float> expected;
        const JsonValue maps = At(one, std::string(PartName(part)) + "_attention");
        for (const JsonValue row : Items(Items(Items(maps).at(0)).at(0))) {
          for (const JsonValue weight : Items(row)) {
            expected.push_back(static_cast<float>(weight.Number().value()));
          }
        }
        // They are printed with six digits.
        CHECK(test::LargestDifference(test::MapOf(*layers[0], 0), expected) < 1e-5);
      }
      ++words;
    }
    CHECK(words == 5);
  }
}

}  // namespace headscope
