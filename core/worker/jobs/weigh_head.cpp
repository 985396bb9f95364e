// One head's map, weighed by what its keys bring.
#include <utility>

#include "core/worker/captured_states.h"
#include "core/worker/job.h"

namespace headscope {

Status WeighJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  const LayerId layer{head.part, head.layer};
  HEADSCOPE_TRY(CheckStates(layer, "weigh the weights by", *job));
  HEADSCOPE_TRY(CaptureStates(layer, job));
  HEADSCOPE_TRY(
      auto weighed,
      WeighHead(*job->opened->model(), *job->opened->split_layer, head.head, by, job->stop));
  job->publish(HeadWeighed{std::make_shared<const WeighedHead>(std::move(weighed))});
  return {};
}

}  // namespace headscope
