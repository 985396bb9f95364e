// Cuts a layer into other head counts.
#include <utility>

#include "core/worker/captured_states.h"
#include "core/worker/job.h"

namespace headscope {

Status SplitJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  const LayerId id{part.value_or(job->opened->attention() == nullptr
                                     ? PartsOf(job->opened->model()->description()).front()
                                     : ModelPart::kWhole),
                   layer};
  HEADSCOPE_TRY(CheckStates(id, "cut again", *job));
  SplitProgress progress;
  progress.listener = [job](const SplitResult& result) {
    static_cast<void>(job->publish(SplitReady{std::make_shared<const SplitResult>(result)}));
    if (result.counts.size() == result.planned.size()) {
      job->between_layers();  // all maps are there: what is asked about them need not wait
    }
  };
  // A deep layer's states take all layers before it: its maps do not wait for them.
  if (known != nullptr && split.UsesLayer()) {
    auto maps =
        SplitMaps(&job->opened->forward()->backend(), known, split, job->stop, progress.listener);
    HEADSCOPE_TRY(maps);
    progress.maps = std::move(*maps);
  }
  HEADSCOPE_TRY(CaptureStates(id, job));
  HEADSCOPE_TRY(SplitLayer(
      job->opened->forward(), job->opened->split_layer, split, job->stop, std::move(progress)));
  return {};
}

}  // namespace headscope
