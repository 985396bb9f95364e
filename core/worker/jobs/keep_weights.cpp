// Finds the largest weights of heads, for lines.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status KeepJob::Run(Job* job) const {
  HEADSCOPE_TRY(auto kept, KeepWeights(maps, rule, job->stop));
  job->publish(WeightsKept{std::make_shared<const KeptWeights>(std::move(kept))});
  return {};
}

}  // namespace headscope
