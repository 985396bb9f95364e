// Walks through a layer: one head next to all of them.
#include <utility>

#include "core/headcount/walk.h"
#include "core/worker/captured_states.h"
#include "core/worker/job.h"

namespace headscope {

Status WalkJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  HEADSCOPE_TRY(CheckStates(layer, "walk through", *job));
  HEADSCOPE_TRY(CaptureStates(layer, job));
  HEADSCOPE_TRY(auto walk,
                WalkLayer(job->opened->forward(),
                          *job->opened->input(),
                          *job->opened->split_layer,
                          {.head = head, .first_row = first_row},
                          job->stop));
  job->publish(WalkReady{std::make_shared<const LayerWalk>(std::move(walk))});
  return {};
}

}  // namespace headscope
