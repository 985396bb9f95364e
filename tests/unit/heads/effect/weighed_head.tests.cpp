#include "core/heads/effect/weighed_head.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/model/read_weights.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::TinyModel;

constexpr const char* kPlainConfig = R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3,
                                          "n_embd": 12, "n_positions": 16, "vocab_size": 11})";
const std::vector<std::int32_t> kWeighedIds = {1, 2, 3, 1, 5, 9, 2, 6, 4};

// What a head's own rows of the output projection make of a value, by the definition.
double OutputLength(const Model& model,
                    const LayerAttention& layer,
                    std::int64_t head,
                    std::int64_t key) {
  const LayerDescription& about =
      model.description().layer[static_cast<std::size_t>(layer.layer())];
  const AttentionShape& shape = layer.shape();
  const ProjectionColumns columns = ReadColumns(model, about.output, 0, ColumnCount(about.output));
  const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
  double square = 0.0;
  for (std::int64_t column = 0; column < columns.columns(); ++column) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < shape.value_dim; ++i) {
      const auto value = layer.content().values[static_cast<std::size_t>(
          (key * shape.kv_heads + kv_head) * shape.value_dim + i)];
      sum += static_cast<double>(value) *
             static_cast<double>(
                 columns.Column(column)[static_cast<std::size_t>(head * shape.value_dim + i)]);
    }
    square += sum * sum;
  }
  return std::sqrt(square);
}

double ValueLength(const LayerAttention& layer, std::int64_t head, std::int64_t key) {
  const AttentionShape& shape = layer.shape();
  const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
  double square = 0.0;
  for (std::int64_t i = 0; i < shape.value_dim; ++i) {
    const auto value = static_cast<double>(layer.content().values[static_cast<std::size_t>(
        (key * shape.kv_heads + kv_head) * shape.value_dim + i)]);
    square += value * value;
  }
  return std::sqrt(square);
}

void CheckMap(const LayerAttention& layer,
              std::int64_t head,
              const std::vector<double>& lengths,
              const WeighedHead& weighed) {
  const auto longest = std::ranges::max_element(lengths);
  CHECK(weighed.longest == Approx(*longest).epsilon(1e-6));
  CHECK(lengths[static_cast<std::size_t>(weighed.longest_key)] == Approx(*longest).epsilon(1e-6));
  const auto plain = test::MapOf(layer, head);
  const auto map = test::MapOf(*weighed.layer, 0);
  const std::int64_t keys = layer.shape().keys;
  double largest_gap = 0.0;
  bool masks_alike = true;
  for (std::int64_t cell = 0; cell < std::ssize(map); ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    const double expected =
        static_cast<double>(plain[at]) * lengths[static_cast<std::size_t>(cell % keys)] / *longest;
    largest_gap = std::max(largest_gap, std::abs(static_cast<double>(map[at]) - expected));
    const bool is_seen = layer.Visible(cell / keys, cell % keys);
    masks_alike = masks_alike && weighed.layer->Visible(cell / keys, cell % keys) == is_seen &&
                  (is_seen || map[at] == 0.0F);
  }
  CHECK(largest_gap < 1e-6);
  CHECK(masks_alike);
}

TEST_CASE("a weighed map is each weight times what its key brings", "[heads][weighed]") {
  int refused = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    if (model->description().decoder) {
      continue;
    }
    INFO(family->id);
    const auto backend = MakeReferenceBackend();
    const auto layers =
        test::CaptureAll(model, backend.get(), {.ids = kWeighedIds, .embeddings = {}}, true);
    for (const auto& layer : layers) {
      const LayerDescription& about =
          model->description().layer[static_cast<std::size_t>(layer->layer())];
      for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
        std::vector<double> values;
        std::vector<double> outputs;
        for (std::int64_t key = 0; key < layer->shape().keys; ++key) {
          values.push_back(ValueLength(*layer, head, key));
          outputs.push_back(OutputLength(*model, *layer, head, key));
        }
        const auto by_values = WeighHead(*model, *layer, head, WeighedBy::kValues, {});
        REQUIRE(by_values);
        CheckMap(*layer, head, values, *by_values);
        const auto by_outputs = WeighHead(*model, *layer, head, WeighedBy::kOutputs, {});
        if (about.output_gate || about.context_norm) {
          REQUIRE(!by_outputs);
          ++refused;
          continue;
        }
        REQUIRE(by_outputs);
        CheckMap(*layer, head, outputs, *by_outputs);
      }
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("a value of nothing takes nothing, however much is looked at it", "[heads][weighed]") {
  const auto backend = MakeReferenceBackend();
  const auto model = TinyModel(kPlainConfig).Open();
  const auto layers =
      test::CaptureAll(model, backend.get(), {.ids = kWeighedIds, .embeddings = {}}, true);
  LayerAttention::Content content = layers.front()->content();
  const auto width = static_cast<std::size_t>(content.shape.kv_heads * content.shape.value_dim);
  std::fill_n(content.values.begin(), width, 0.0F);  // of the first token
  const LayerAttention still(content);
  const auto weighed = WeighHead(*model, still, 0, WeighedBy::kOutputs, {});
  REQUIRE(weighed);
  const auto map = test::MapOf(*weighed->layer, 0);
  for (std::size_t query = 0; query < kWeighedIds.size(); ++query) {
    CHECK(map[query * kWeighedIds.size()] == 0.0F);
  }
  CHECK(WeighedName(*weighed) == "L0H0, each weight times the length of its value's output");
  content.values.assign(content.values.size(), 0.0F);
  const auto nothing = WeighHead(*model, LayerAttention(content), 0, WeighedBy::kValues, {});
  REQUIRE(nothing);
  CHECK(nothing->longest == 0.0);
  CHECK(WeighedScale(*nothing, "the") == "All lengths are 0");
}

TEST_CASE("what cannot be weighed is refused in a sentence", "[heads][weighed]") {
  const auto backend = MakeReferenceBackend();
  const auto model = TinyModel(kPlainConfig).Open();
  const ForwardInput input{.ids = kWeighedIds, .embeddings = {}};
  const auto bare = test::CaptureAll(model, backend.get(), input);
  const auto without = WeighHead(*model, *bare.front(), 0, WeighedBy::kValues, {});
  REQUIRE(!without);
  CHECK(without.error().message == "There are weights only, no values that they could be times.");
  const auto layers = test::CaptureAll(model, backend.get(), input, true);
  CHECK(!WeighHead(*model, *layers.front(), layers.front()->shape().heads, WeighedBy::kValues, {}));
  LayerAttention::Content content = layers.front()->content();
  content.values[3] = std::numeric_limits<float>::quiet_NaN();
  const auto broken = WeighHead(*model, LayerAttention(content), 0, WeighedBy::kValues, {});
  REQUIRE(!broken);
  CHECK(broken.error().code == ErrorCode::kNumeric);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = WeighHead(*model, *layers.front(), 0, WeighedBy::kValues, stop.get_token());
  REQUIRE(!stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
