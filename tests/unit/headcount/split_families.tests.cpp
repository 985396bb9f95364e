// Cutting a layer of every family: what the model itself computes is one of the cuts.
#include "core/headcount/split.h"
#include "core/model/scaled_context.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/tiny_model.h"

namespace headscope {

TEST_CASE("In every family the trained count is the model's own maps and output",
          "[headcount][split][families]") {
  for (const Family* family : AllFamilies()) {
    const auto model = test::TinyModel(family->example).Open();
    if (model->description().decoder) {
      continue;  // reads two texts
    }
    ForwardInput input;
    input.ids = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    const std::int64_t heads = model->description().heads;
    const std::vector<test::LayerError> bounds = test::FloatErrors(model, input);
    for (const auto& backend : test::AllBackends()) {
      INFO(family->id << " on " << backend->Description());
      Forward forward(model, backend.get());
      for (const auto& layer : test::CaptureAll(model, backend.get(), input, true)) {
        const AttentionRule& rule = layer->rule();
        if (rule.bias != nullptr || rule.positions != nullptr || rule.sinks != nullptr) {
          continue;  // what belongs to a trained head is left out of a cut
        }
        const auto split = SplitLayer(&forward, layer, {.head_counts = {1, heads}}, {});
        if (layer->shape().value_dim != layer->shape().head_dim ||
            ScalesContext(model->description())) {
          REQUIRE_FALSE(split.has_value());
          CHECK(split.error().code == ErrorCode::kUnsupported);
          continue;
        }
        REQUIRE(split.has_value());
        const SplitCount& trained = split->counts.back();
        REQUIRE(trained.heads == heads);
        const test::LayerError& bound = bounds[static_cast<std::size_t>(layer->layer())];
        CHECK(test::LargestDifference(trained.output, layer->content().attention_output) <=
              2.0 * bound.outputs);
        CHECK(test::AllMaps({trained.attention}) == test::AllMaps({layer}));
        for (std::int64_t head = 0; head < heads; ++head) {
          const Thumbnail& own = layer->thumbnail(head);
          CHECK(test::LargestDifference(trained.attention->thumbnail(head).mean, own.mean) <=
                test::WeightBound(test::SumBound(test::ScoreSize(*layer), 1), layer->shape().keys));
        }
      }
    }
  }
}

}  // namespace headscope
