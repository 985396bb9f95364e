#include "core/worker/numbers_of_model.h"

#include "core/base/stop.h"
#include "core/headcount/kept_heads.h"
#include "core/heads/effect/mean_loss.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

// The mean over the layers of the first part; none where a layer's heads have no rows of their own in one
// output matrix, or too many.
Result<std::optional<SubspaceOverlap>> OverlapOfModel(Forward* forward,
                                                      const std::stop_token& stop) {
  const ModelDescription& model = forward->model().description();
  const ModelPart part = PartsOf(model).front();
  const StackDescription& stack = StackOf(model, part);
  std::optional<SubspaceOverlap> mean;
  if (stack.heads * stack.value_dim > kMostKeptWidth || !RefuseScaledContext(stack, "an overlap")) {
    return mean;
  }
  SubspaceOverlap sum;
  double layers = 0.0;
  for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
    HEADSCOPE_TRY(const auto output, forward->OutputProjection({part, layer}, stop));
    if (output->in() != stack.heads * stack.value_dim) {
      return mean;
    }
    HEADSCOPE_TRY(const auto gram, GramOfOutput(&forward->backend(), *output, stop));
    if (const auto found = OverlapOfHeads(gram, stack.heads, output->out())) {
      sum.overlap += found->overlap;
      sum.chance += found->chance;
      layers += 1.0;
    }
  }
  if (layers > 0.0) {
    mean = SubspaceOverlap{sum.overlap / layers, sum.chance / layers};
  }
  return mean;
}

}  // namespace

Result<ModelNumbers> NumbersOf(Forward* forward,
                               const ProbeCorpus* corpus,
                               const std::stop_token& stop) {
  ModelNumbers numbers;
  if (corpus != nullptr) {
    numbers.is_of_repeats = corpus->is_repeats();
    const auto loss = MeanLossOf(forward, *corpus, kMostLossTexts, stop);
    HEADSCOPE_TRY(CheckStop(stop));
    numbers.loss = loss.value_or(std::nullopt);  // a model that predicts no tokens has none
  }
  HEADSCOPE_TRY(numbers.overlap, OverlapOfModel(forward, stop));
  return numbers;
}

}  // namespace headscope
