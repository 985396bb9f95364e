// Costs from shapes: what arrays of those shapes hold, and what the layers of every family are.
#include "core/headcount/attention_widths.h"

#include <random>
#include <vector>

#include "core/headcount/split.h"
#include "core/model/family_kit.h"
#include "core/model/scaled_context.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {

TEST_CASE("In every family the widths are the layer's own: the same parameters and multiplies",
          "[headcount][widths][families]") {
  const auto backend = std::move(test::AllBackends().back());
  int compared = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = test::TinyModel(family->example).Open();
    ForwardInput input;
    input.ids = {3, 1, 4, 1, 5, 9, 2};
    if (model->description().decoder) {
      input.target_ids = {2, 7, 1};  // fewer queries of the cross-attention than keys
    }
    Forward forward(model, backend.get());
    for (const auto& layer : test::CaptureAll(model, backend.get(), input, true)) {
      INFO(family->id << " layer " << layer->layer());
      if (layer->shape().value_dim != layer->shape().head_dim ||
          ScalesContext(model->description())) {
        continue;  // it is not cut
      }
      const auto split = SplitLayer(&forward, layer, {.head_counts = {layer->shape().heads}}, {});
      REQUIRE(split.has_value());
      const SplitCount& trained = split->counts.front();
      const AttentionWidths widths =
          WidthsOf(model->description(), {layer->part(), layer->layer()});
      const AttentionShape& shape = layer->shape();
      const WidthCosts costs = CostsOf(widths, shape.queries, shape.keys);
      CHECK(costs.parameters == trained.parameters);
      CHECK(costs.softmax_cells == trained.softmax_cells);
      CHECK(costs.map_bytes == trained.map_bytes);
      CHECK(costs.multiplies == trained.multiplies);
      ++compared;
    }
  }
  CHECK(compared > 10);
}

TEST_CASE("Norms of queries and keys are among the parameters of a layer that has them",
          "[headcount][widths]") {
  for (const Family* family : AllFamilies()) {
    if (family->id != "qwen3") {
      continue;
    }
    const auto model = test::TinyModel(family->example).Open();
    const AttentionWidths widths = WidthsOf(model->description(), {ModelPart::kWhole, 0});
    const StackDescription& stack = model->description();
    CHECK(widths.query_norm == 1);
    CHECK(widths.key_norm == 1);
    CHECK(LearntOf(widths).norms == 2 * stack.head_dim);
    AttentionWidths bare = widths;
    bare.query_norm = bare.key_norm = 0;
    CHECK(CostsOf(widths, 5, 5).parameters == CostsOf(bare, 5, 5).parameters + 2 * stack.head_dim);
    CHECK(CostsOf(widths, 5, 5).multiplies == CostsOf(bare, 5, 5).multiplies);
  }
}

TEST_CASE("Costs are what loops over the matrices count", "[headcount][widths]") {
  std::mt19937 draw(11);
  const auto upto = [&draw](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(draw);
  };
  for (int round = 0; round < 50; ++round) {
    AttentionWidths widths;
    widths.kv_heads = upto(3);
    widths.heads = widths.kv_heads * upto(3);
    widths.head_dim = upto(5);
    widths.value_dim = upto(5);
    widths.query_width = upto(7);
    widths.key_width = upto(7);
    widths.value_width = upto(7);
    widths.output_width = upto(7);
    widths.query_bias = upto(2) == 1;
    widths.key_bias = upto(2) == 1;
    widths.value_bias = upto(2) == 1;
    widths.output_bias = upto(2) == 1;
    const std::int64_t queries = upto(4);
    const std::int64_t keys = upto(4);
    std::int64_t parameters = 0;
    std::int64_t multiplies = 0;
    std::int64_t numbers = 0;
    // A product [rows, in] x [in, out], and what it makes.
    const auto project = [&](std::int64_t rows, std::int64_t in, std::int64_t out, bool has_bias) {
      for (std::int64_t col = 0; col < out; ++col) {
        parameters += has_bias ? 1 : 0;
        for (std::int64_t row = 0; row < in; ++row) {
          ++parameters;
          multiplies += rows;
        }
      }
    };
    for (std::int64_t head = 0; head < widths.heads; ++head) {
      project(queries, widths.query_width, widths.head_dim, widths.query_bias);
      numbers += queries * (widths.head_dim + widths.value_dim);
      for (std::int64_t cell = 0; cell < queries * keys; ++cell) {
        multiplies += widths.head_dim + widths.value_dim;
      }
    }
    for (std::int64_t head = 0; head < widths.kv_heads; ++head) {
      project(keys, widths.key_width, widths.head_dim, widths.key_bias);
      project(keys, widths.value_width, widths.value_dim, widths.value_bias);
      numbers += keys * (widths.head_dim + widths.value_dim);
    }
    project(queries, widths.heads * widths.value_dim, widths.output_width, widths.output_bias);
    const WidthCosts costs = CostsOf(widths, queries, keys);
    REQUIRE(costs.parameters == parameters);
    REQUIRE(costs.multiplies == multiplies);
    REQUIRE(costs.vector_bytes == 4 * numbers);
    REQUIRE(costs.map_bytes == 4 * widths.heads * queries * keys);
  }
}

}  // namespace headscope
