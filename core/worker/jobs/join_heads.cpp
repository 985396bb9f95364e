// Joins heads into one map.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status JoinJob::Run(Job* job) const {
  HEADSCOPE_TRY(auto joined, JoinHeads(layers, join, job->stop));
  job->publish(HeadsJoined{std::move(joined)});
  return {};
}

}  // namespace headscope
