// Cuts a layer into other head counts.
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

// States are large, so layers are kept without them; the one that is split is run again with them.
Status CaptureStates(LayerId id, Job* job) {
  std::shared_ptr<const LayerAttention>& kept = job->opened->split_layer;
  if (kept != nullptr && kept->layer() == id.layer && kept->part() == id.part) {
    return {};
  }
  kept = nullptr;
  CaptureOptions options;
  options.part = id.part;
  options.first_layer = id.layer;
  options.last_layer = id.layer;
  options.keep_states = true;
  const auto keep = [&kept](std::shared_ptr<const LayerAttention> layer) -> Status {
    kept = std::move(layer);
    return {};
  };
  return CaptureAttention(job->opened->forward(), *job->opened->input, options, keep, job->stop);
}

}  // namespace

Status SplitJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  if (job->opened->attention() != nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "the file holds weights only, no queries, keys and values to cut again; open the "
                "model");
  }
  if (!job->opened->input) {
    return Fail(ErrorCode::kInput, "there is no text yet: type a sentence first");
  }
  const ModelDescription& model = job->opened->model()->description();
  const LayerId id{part.value_or(PartsOf(model).front()), layer};
  const std::int64_t layers = StackOf(model, id.part).layers;
  if (layer < 0 || layer >= layers) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("layer {} is asked for, the model has layers 0 to {}", layer, layers - 1));
  }
  HEADSCOPE_TRY(CaptureStates(id, job));
  Result<SplitResult> result =
      SplitLayer(job->opened->forward(), job->opened->split_layer, split, job->stop);
  HEADSCOPE_TRY(result);
  job->publish(SplitReady{std::make_shared<const SplitResult>(std::move(*result))});
  return {};
}

}  // namespace headscope
