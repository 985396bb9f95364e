// Head counts of the model's own step 0, and of what stands in for it, on the worker.
#include <cmath>

#include "core/attention/capture.h"
#include "core/headcount/split.h"
#include "tests/reference/split_reference.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/near.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope::test {
namespace {

const std::filesystem::path kTrained = SourceFolder() / "assets" / "models" / "gpt-h8";
const std::vector<std::int32_t> kTokens = {40, 300, 17, 512, 98, 300, 17, 7, 64, 200, 11, 12};

// The mean Jensen-Shannon divergence of all pairs of heads, over rows that see several keys, in
// double: maps [h, n, n] of a causal layer.
double SlowDivergence(const std::vector<double>& maps, std::size_t heads, std::size_t n) {
  const auto part = [](double weight, double mean) {
    return weight > 0.0 ? 0.5 * weight * std::log(weight / mean) : 0.0;
  };
  double sum = 0.0;
  double terms = 0.0;
  for (std::size_t one = 0; one < heads; ++one) {
    for (std::size_t two = one + 1; two < heads; ++two) {
      for (std::size_t row = 1; row < n; ++row, terms += 1.0) {
        for (std::size_t key = 0; key <= row; ++key) {
          const double a = maps[(one * n + row) * n + key];
          const double b = maps[(two * n + row) * n + key];
          sum += part(a, (a + b) / 2.0) + part(b, (a + b) / 2.0);
        }
      }
    }
  }
  return sum / terms;
}

// Of the model in that folder, run by the plain backend.
double SlowDivergenceOf(const std::filesystem::path& folder, std::int64_t layer) {
  const auto model = Model::Open(folder);
  REQUIRE(model.has_value());
  const auto backend = MakeReferenceBackend();
  Forward forward(*model, backend.get());
  ForwardInput input;
  input.ids = kTokens;
  CaptureOptions options;
  options.first_layer = layer;
  options.last_layer = layer;
  std::shared_ptr<const LayerAttention> captured;
  const auto keep = [&captured](std::shared_ptr<const LayerAttention> made) -> Status {
    captured = std::move(made);
    return {};
  };
  REQUIRE(CaptureAttention(&forward, input, options, keep, {}).has_value());
  const AttentionShape& shape = captured->shape();
  return SlowDivergence(
      SplitMapsReference(*captured, ContiguousColumns(shape.heads * shape.head_dim, 8)),
      8,
      kTokens.size());
}

SplitCount CutInto8(Harness* harness, SplitWeights weights, const std::filesystem::path& begun) {
  const auto cut = Only<SplitReady>(harness->Wait(harness->Submit(SplitJob{
      .layer = 1, .split = {.head_counts = {1, 8}, .weights = weights}, .step_zero = begun})));
  REQUIRE_FALSE(cut.empty());
  const SplitResult& split = *cut.back().split;
  CHECK(split.request.weights == weights);
  REQUIRE(split.counts.size() == 2);
  REQUIRE(split.counts[1].is_measured);
  return split.counts[1];
}

}  // namespace

TEST_CASE("step 0 is the model's own first checkpoint, cut of the same text", "[worker][split]") {
  Harness harness;
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kTrained})));
  REQUIRE(opened.size() == 1);
  CHECK(opened[0].step_zero == kTrained / "step-0");
  harness.Wait(harness.Submit(Ids(kTokens)));
  const SplitCount begun = CutInto8(&harness, SplitWeights::kStepZero, opened[0].step_zero);
  CHECK(*begun.mean_divergence == Near(SlowDivergenceOf(kTrained / "step-0", 1), 1e-6));
  const SplitCount trained = CutInto8(&harness, SplitWeights::kTrained, {});
  CHECK(*trained.mean_divergence == Near(SlowDivergenceOf(kTrained, 1), 1e-5));
  const SplitCount random = CutInto8(&harness, SplitWeights::kRandom, {});
  // Heads that training begins with are all but alike; draws of variance 1/d in one layer are not.
  CHECK(*begun.mean_divergence < 0.002);
  CHECK(*random.mean_divergence > 0.03);
  CHECK(begun.output_difference == 0.0);
}

TEST_CASE("a model without checkpoints has no step 0, and one of another training is refused",
          "[worker][split]") {
  Harness harness;
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe})));
  REQUIRE(opened.size() == 1);
  CHECK(opened[0].step_zero.empty());
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto refused = Only<Failed>(harness.Wait(
      harness.Submit(SplitJob{.layer = 1,
                              .split = {.head_counts = {1}, .weights = SplitWeights::kStepZero},
                              .step_zero = kTrained / "step-0"})));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.message.find("another training") != std::string::npos);
}

}  // namespace headscope::test
