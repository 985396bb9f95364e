#include "core/attention/capture.h"

#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

const std::string kGpt2 = R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                              "n_positions": 64, "vocab_size": 11})";
const ForwardInput kInput{.ids = {1, 2, 3, 4, 5, 1, 2, 3}, .embeddings = {}};

struct Collected {
  Status status;
  std::vector<std::shared_ptr<const LayerAttention>> layers;
};

Collected Collect(Forward* forward, const ForwardInput& input, const CaptureOptions& options) {
  Collected collected;
  collected.status = CaptureAttention(forward,
                                      input,
                                      options,
                                      [&](std::shared_ptr<const LayerAttention> layer) -> Status {
                                        collected.layers.push_back(std::move(layer));
                                        return {};
                                      },
                                      {});
  return collected;
}

}  // namespace

TEST_CASE("captured layers carry everything a map is made from", "[attention][capture]") {
  const auto model = TinyModel(kGpt2).Open();
  for (const auto& backend : test::AllBackends()) {
    INFO(backend->Description());
    const test::Layers layers = test::CaptureAll(model, backend.get(), kInput, true);
    REQUIRE(layers.size() == 3);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const LayerAttention& layer = *layers[i];
      CHECK(layer.layer() == static_cast<std::int64_t>(i));
      CHECK(layer.shape().queries == 8);
      CHECK(layer.shape().heads == 3);
      CHECK(layer.rule().causal);
      CHECK(layer.content().projection_input.size() == 8 * 12);
      CHECK(layer.content().attention_output.size() == 8 * 12);
      const double bound =
          test::WeightBound(test::ScoreBound(layer), layer.shape().keys) + 2.0 * test::kUnit;
      for (std::int64_t head = 0; head < 3; ++head) {
        // A small thumbnail is what the backend made: the map is made from Q and K again.
        const std::vector<float> map = test::MapOf(layer, head);
        const Thumbnail& thumbnail = layer.thumbnail(head);
        REQUIRE_FALSE(thumbnail.pooled);
        for (std::int64_t query = 0; query < 8; ++query) {
          const auto row = static_cast<std::size_t>(head * 8 + query);
          for (std::int64_t key = 0; key <= query; ++key) {
            const auto cell = static_cast<std::size_t>(query * 8 + key);
            const auto weight = static_cast<double>(map[cell]);
            CHECK(std::abs(weight - static_cast<double>(thumbnail.mean[cell])) <= bound);
            // The stored pair gives the same weight for tiles.
            const double by_pair = std::exp(layer.Score(head, query, key) -
                                            static_cast<double>(layer.content().row_max[row])) *
                                   static_cast<double>(layer.content().row_inverse_sum[row]);
            CHECK(std::abs(weight - by_pair) <= bound);
          }
        }
      }
    }
  }
}

TEST_CASE("the 1 of a row that sees one key measures no head", "[attention][capture]") {
  const auto model = TinyModel(kGpt2).Open();
  for (const auto& backend : test::AllBackends()) {
    for (const auto& layer : test::CaptureAll(model, backend.get(), kInput)) {
      for (std::int64_t head = 0; head < 3; ++head) {
        const std::vector<float> map = test::MapOf(*layer, head);
        const float expected = *std::max_element(map.begin() + 8, map.end());
        CHECK(map[0] == 1.0F);
        CHECK(layer->largest(head) == Approx(expected).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("only the layers asked for are given, in order", "[attention][capture]") {
  const auto model = TinyModel(kGpt2).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const Collected some = Collect(&forward, kInput, {.first_layer = 1, .last_layer = 2});
  REQUIRE(some.status);
  REQUIRE(some.layers.size() == 2);
  CHECK(some.layers[0]->layer() == 1);
  CHECK(some.layers[1]->layer() == 2);
  CHECK(some.layers[0]->content().projection_input.empty());

  const Collected all = Collect(&forward, kInput, {.first_layer = 0, .last_layer = 2});
  CHECK(test::MapOf(*all.layers[2], 1) == test::MapOf(*some.layers[1], 1));

  for (const auto& [first, last] : {std::pair(2, 1), std::pair(0, 3), std::pair(-1, 2)}) {
    const Collected none = Collect(&forward, kInput, {.first_layer = first, .last_layer = last});
    REQUIRE_FALSE(none.status);
    CHECK(none.status.error().code == ErrorCode::kInput);
    CHECK(none.layers.empty());
  }
}

TEST_CASE("long texts get pooled thumbnails of the size asked for", "[attention][capture]") {
  const auto model = TinyModel(kGpt2).Open();
  ForwardInput input;
  for (std::int32_t i = 0; i < 40; ++i) {
    input.ids.push_back(i * 7 % 11);
  }
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const Collected captured =
        Collect(&forward, input, {.first_layer = 0, .last_layer = 0, .thumbnail_size = 10});
    REQUIRE(captured.layers.size() == 1);
    const LayerAttention& layer = *captured.layers[0];
    const std::vector<float> map = test::MapOf(layer, 2);
    const Thumbnail& thumbnail = layer.thumbnail(2);
    CHECK(thumbnail.rows == 10);
    CHECK(thumbnail.pooled);
    // Cell (9, 0): rows 36 to 39, keys 0 to 3, all visible.
    double sum = 0.0;
    for (std::size_t query = 36; query < 40; ++query) {
      for (std::size_t key = 0; key < 4; ++key) {
        sum += static_cast<double>(map[query * 40 + key]);
      }
    }
    CHECK(std::abs(static_cast<double>(thumbnail.mean[90]) - sum / 16.0) <=
          test::WeightBound(test::ScoreBound(layer), layer.shape().keys));
    CHECK(thumbnail.mean[9] == kMasked);
  }
}

TEST_CASE("an error of the sink ends the capture", "[attention][capture]") {
  const auto model = TinyModel(kGpt2).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  int given = 0;
  const Status status =
      CaptureAttention(&forward,
                       kInput,
                       {.first_layer = 0, .last_layer = 2},
                       [&](const std::shared_ptr<const LayerAttention>&) -> Status {
                         ++given;
                         return Fail(ErrorCode::kCancelled, "enough");
                       },
                       {});
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kCancelled);
  CHECK(given == 1);
}

TEST_CASE("finite weights whose products are not are refused with their layer",
          "[attention][capture]") {
  TinyModel tiny(kGpt2);
  for (float& value : tiny.tensors["h.1.attn.c_attn.weight"].values) {
    value *= 1e30F;
  }
  const auto model = tiny.Open();
  for (const auto& backend : test::AllBackends()) {
    const auto layers = test::TryCapture(model, backend.get(), kInput);
    REQUIRE_FALSE(layers.has_value());
    CHECK(layers.error().code == ErrorCode::kNumeric);
    CHECK_THAT(layers.error().message,
               Says("layer 1") && Says("not finite") && Says("model.safetensors"));
  }
}

}  // namespace headscope
