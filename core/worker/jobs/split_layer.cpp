// Cuts a layer into other head counts.
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/worker/captured_states.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

SplitListener Publish(Job* job, SplitWeights weights) {
  return [job, weights](const SplitResult& result) {
    auto told = std::make_shared<SplitResult>(result);
    told->request.weights = weights;
    static_cast<void>(job->publish(SplitReady{std::move(told)}));
    if (result.counts.size() == result.planned.size()) {
      job->between_layers();  // all maps are there: requests about them need not wait
    }
  };
}

Status CheckAlike(const StackDescription& open, const StackDescription& begun) {
  const bool is_alike = open.layers == begun.layers && open.heads == begun.heads &&
                        open.model_dim == begun.model_dim && open.head_dim == begun.head_dim &&
                        open.vocabulary == begun.vocabulary;
  if (is_alike) {
    return {};
  }
  return Fail(ErrorCode::kInput,
              fmt::format("step 0 has {} layers x {} heads, d {}, the open model {} x {}, d {}: it "
                          "is of another training; choose random weights",
                          begun.layers,
                          begun.heads,
                          begun.model_dim,
                          open.layers,
                          open.heads,
                          open.model_dim));
}

// Cuts the layer of the model at step 0, on the same text: the whole model runs at step 0.
Status CutStepZero(const SplitJob& request, LayerId id, Job* job) {
  HEADSCOPE_TRY(const auto forward,
                job->opened->OpenBeside(request.step_zero, &job->opened->step_zero(), job->stop));
  HEADSCOPE_TRY(CheckAlike(StackOf(job->opened->model()->description(), id.part),
                           StackOf(forward->model().description(), id.part)));
  HEADSCOPE_TRY(auto layer, CaptureLayerStates(id, forward, *job));
  SplitRequest cut = request.split;
  cut.weights = SplitWeights::kTrained;  // that model's own
  SplitProgress progress;
  progress.listener = Publish(job, SplitWeights::kStepZero);
  HEADSCOPE_TRY(SplitLayer(forward, std::move(layer), cut, job->stop, std::move(progress)));
  return {};
}

}  // namespace

Status SplitJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  const LayerId id{part.value_or(job->opened->attention() == nullptr
                                     ? PartsOf(job->opened->model()->description()).front()
                                     : ModelPart::kWhole),
                   layer};
  HEADSCOPE_TRY(CheckStates(id, "cut again", *job));
  if (split.weights == SplitWeights::kStepZero) {
    return CutStepZero(*this, id, job);
  }
  SplitProgress progress;
  progress.listener = Publish(job, split.weights);
  // The states of a deep layer take all layers before it: its maps do not wait for them.
  if (known != nullptr && split.UsesLayer()) {
    HEADSCOPE_TRY(
        progress.maps,
        SplitMaps(&job->opened->forward()->backend(), known, split, job->stop, progress.listener));
  }
  HEADSCOPE_TRY(CaptureStates(id, job));
  HEADSCOPE_TRY(SplitLayer(
      job->opened->forward(), job->opened->split_layer, split, job->stop, std::move(progress)));
  return {};
}

}  // namespace headscope
