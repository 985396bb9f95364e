// Finds the heads whose maps look like a given head's.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status AlikeJob::Run(Job* job) const {
  constexpr std::size_t kMost = 6;
  HEADSCOPE_TRY(auto found, MostAlike(layers, head, kMost, job->stop));
  job->publish(AlikeFound{std::move(found)});
  return {};
}

}  // namespace headscope
