#include "core/worker/captured_states.h"

#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"

namespace headscope {

Result<std::shared_ptr<const LayerAttention>> CaptureLayerStates(LayerId id,
                                                                 Forward* forward,
                                                                 const Job& job) {
  std::shared_ptr<const LayerAttention> kept;
  CaptureOptions options;
  options.part = id.part;
  options.first_layer = id.layer;
  options.last_layer = id.layer;
  options.keep_states = true;
  const auto keep = [&kept](std::shared_ptr<const LayerAttention> layer) -> Status {
    kept = std::move(layer);
    return {};
  };
  HEADSCOPE_TRY(CaptureAttention(forward, *job.opened->input(), options, keep, job.stop));
  return kept;
}

Status CaptureStates(LayerId id, Job* job) {
  std::shared_ptr<const LayerAttention>& kept = job->opened->split_layer;
  if (kept != nullptr && kept->layer() == id.layer && kept->part() == id.part) {
    return {};
  }
  kept = nullptr;
  HEADSCOPE_TRY(kept, CaptureLayerStates(id, job->opened->forward(), *job));
  return {};
}

Status CheckStates(LayerId id, const char* about, const Job& job) {
  if (job.opened->attention() != nullptr) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("the file holds weights only, no queries, keys and values to {}; open "
                            "the model",
                            about));
  }
  if (!job.opened->input()) {
    return Fail(ErrorCode::kInput, "there is no text yet: type a sentence first");
  }
  const std::int64_t layers = StackOf(job.opened->model()->description(), id.part).layers;
  if (id.layer < 0 || id.layer >= layers) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("layer {} is asked for, the model has layers 0 to {}", id.layer, layers - 1));
  }
  return {};
}

}  // namespace headscope
