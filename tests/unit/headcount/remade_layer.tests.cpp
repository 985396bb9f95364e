#include "core/headcount/remade_layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/scaled_context.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

ForwardInput SomeIds() {
  ForwardInput input;
  input.ids = {3, 1, 4, 1, 5, 9, 2, 6, 5};
  return input;
}

double LargestWeight(std::span<const float> values) {
  double largest = 0.0;
  for (const float value : values) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

// Every family but those that read two texts.
template <typename See>
void ForEachFamily(const See& see) {
  for (const Family* family : AllFamilies()) {
    const auto model = test::TinyModel(family->example).Open();
    if (model->description().decoder) {
      continue;
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(family->id << " on " << backend->Description());
      Forward forward(model, backend.get());
      for (const auto& layer : test::CaptureAll(model, backend.get(), SomeIds(), true)) {
        see(&forward, layer);
      }
    }
  }
}

TEST_CASE("Of its own input a layer is made again as it was", "[headcount][remade][families]") {
  ForEachFamily([](Forward* forward, const std::shared_ptr<const LayerAttention>& layer) {
    const auto made =
        forward->Project({layer->part(), layer->layer()}, layer->content().projection_input, {});
    const StackDescription& stack = StackOf(forward->model().description(), layer->part());
    if (stack.layer[static_cast<std::size_t>(layer->layer())].keys_of) {
      REQUIRE_FALSE(made.has_value());
      CHECK(made.error().code == ErrorCode::kUnsupported);
      return;
    }
    REQUIRE(made.has_value());
    // The same products of the same rows, in a pass of their own.
    CHECK(test::LargestDifference(made->queries, layer->content().queries) <=
          1e-5 * LargestWeight(layer->content().queries));
    CHECK(test::LargestDifference(made->keys, layer->content().keys) <=
          1e-5 * LargestWeight(layer->content().keys));
    CHECK(test::LargestDifference(made->values, layer->content().values) <=
          1e-5 * LargestWeight(layer->content().values));
  });
}

TEST_CASE("Another input reaches every cut, and the scale multiplies it",
          "[headcount][remade][families]") {
  ForEachFamily([](Forward* forward, const std::shared_ptr<const LayerAttention>& layer) {
    const std::int64_t heads = layer->shape().heads;
    if (layer->shape().value_dim != layer->shape().head_dim ||
        ScalesContext(forward->model().description())) {
      return;  // it is not cut
    }
    const auto plain = SplitLayer(forward, layer, {.head_counts = {1, heads}}, {});
    const auto scaled =
        SplitLayer(forward, layer, {.head_counts = {1, heads}, .input_scale = 3.0}, {});
    const auto normal =
        SplitLayer(forward, layer, {.head_counts = {1, heads}, .input = SplitInput::kNormal}, {});
    REQUIRE(plain.has_value());
    REQUIRE(scaled.has_value());
    REQUIRE(normal.has_value());
    CHECK(scaled->counts[0].output != plain->counts[0].output);
    CHECK(normal->counts[0].output != plain->counts[0].output);
    // Held against the trained count under the same input.
    CHECK(scaled->counts.back().output_difference == 0.0);
    CHECK(normal->counts.back().output_difference == 0.0);
    CHECK(normal->counts[0].parameters == plain->counts[0].parameters);
  });
}

SplitRequest Ones(double scale, std::uint64_t seed) {
  return {
      .head_counts = {1, 64}, .weights = SplitWeights::kOnes, .input_scale = scale, .seed = seed};
}

// One layer of 512 columns under weights that are all 1, twelve tokens that all see one another.
SplitResult SplitOnes(Backend* backend, const SplitRequest& request) {
  constexpr std::int64_t kTokens = 12;
  constexpr std::int64_t kWidth = 512;
  const PlainProjections about{.shape = {.queries = kTokens,
                                         .keys = kTokens,
                                         .heads = 1,
                                         .kv_heads = 1,
                                         .head_dim = kWidth,
                                         .value_dim = kWidth},
                               .rule = {.scale = 1.0 / std::sqrt(static_cast<double>(kWidth))},
                               .model_dim = kWidth};
  const auto made =
      MakePlainLayer(backend, about, NormalInput(request, kTokens, kWidth), request, {});
  REQUIRE(made.has_value());
  auto split = SplitLayer(
      {.backend = backend, .output = made->output.get(), .costs = {}, .layer = made->layer},
      request,
      {});
  REQUIRE(split.has_value());
  return std::move(*split);
}

TEST_CASE("Under weights that are all 1 every head is the same head", "[headcount][remade]") {
  const auto backend = MakeReferenceBackend();
  const SplitResult split = SplitOnes(backend.get(), Ones(0.01, 7));
  CHECK(split.counts[1].effective_heads == Approx(1.0).epsilon(1e-6));
  CHECK(*split.counts[1].mean_divergence < 1e-6);
  const LayerAttention& cut = *split.counts[1].attention;
  // Every query and key is the sum of its row.
  const std::vector<float> rows = NormalInput(Ones(0.01, 7), 12, 512);
  const double sum = std::accumulate(rows.begin(), rows.begin() + 512, 0.0);
  CHECK(cut.source().content().queries[100] == test::Near(sum, 1e-6));
  CHECK(cut.DotProduct(5, 0, 0) == test::Near(8.0 * sum * sum, 1e-5));
}

// Measured in float64 with NumPy: d = 512, 12 tokens, h = 64 against h = 1, the median and the
// range of 20 seeds.
TEST_CASE("What the number of heads changes under equal weights depends on the input's scale",
          "[headcount][remade]") {
  struct Published {
    double scale = 1.0;
    double median = 0.0;
    double within = 0.0;
  };
  const auto backend = MakeReferenceBackend();
  for (const Published& row : {Published{1.0, 0.000, 0.001},
                               Published{0.1, 0.11, 0.10},
                               Published{0.01, 0.77, 0.15},
                               Published{0.001, 0.04, 0.04}}) {
    std::vector<double> differences;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const SplitResult split = SplitOnes(backend.get(), Ones(row.scale, seed));
      differences.push_back(split.counts[1].output_difference);
    }
    std::ranges::sort(differences);
    CAPTURE(row.scale);
    CHECK(differences[10] == test::Near(row.median, row.within));
  }
}

TEST_CASE("Drawn weights have variance 1/d and come from the seed", "[headcount][remade]") {
  const auto backend = MakeReferenceBackend();
  SplitRequest request{.head_counts = {}, .weights = SplitWeights::kRandom, .seed = 3};
  const PlainProjections about{
      .shape =
          {.queries = 64, .keys = 64, .heads = 4, .kv_heads = 2, .head_dim = 16, .value_dim = 16},
      .rule = {.scale = 0.25, .softcap = 3.0},
      .model_dim = 64};
  // The rows of the identity read the weights off.
  std::vector<float> identity(64 * 64, 0.0F);
  for (std::size_t i = 0; i < 64; ++i) {
    identity[i * 64 + i] = 1.0F;
  }
  const auto made = MakePlainLayer(backend.get(), about, identity, request, {});
  REQUIRE(made.has_value());
  const std::vector<float>& weights = made->layer->content().queries;
  double squares = 0.0;
  for (const float weight : weights) {
    squares += static_cast<double>(weight) * static_cast<double>(weight);
  }
  // 4,096 draws: their variance is within five of its standard deviations, sqrt(2 / 4096).
  CHECK(squares / 64.0 == test::Near(1.0 * 64.0 / 64.0, 0.11));
  CHECK(made->layer->rule().softcap == 0.0);
  CHECK(made->layer->content().keys.size() == 64 * 32);
  CHECK(made->output->in() == 64);
  const auto again = MakePlainLayer(backend.get(), about, identity, request, {});
  CHECK(again->layer->content().queries == weights);
  request.seed = 4;
  const auto other = MakePlainLayer(backend.get(), about, identity, request, {});
  CHECK(other->layer->content().queries != weights);
}

}  // namespace
}  // namespace headscope
