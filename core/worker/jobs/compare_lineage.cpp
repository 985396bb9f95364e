// Compares heads of a layer cut one way with heads of another cut.
#include <utility>

#include "core/compare/parent_divergence.h"
#include "core/worker/job.h"

namespace headscope {

Status LineageJob::Run(Job* job) const {
  LineageReady ready;
  HEADSCOPE_TRY(ready.children, DivergenceFromParents(*parents, *children, parent_of, job->stop));
  ready.sums.resize(static_cast<std::size_t>(parents->shape().heads));
  for (std::int64_t parent = 0; adds_up && parent < parents->shape().heads; ++parent) {
    std::vector<std::int64_t> own;
    for (std::size_t child = 0; child < parent_of.size(); ++child) {
      if (parent_of[child] == parent) {
        own.push_back(static_cast<std::int64_t>(child));
      }
    }
    HEADSCOPE_TRY(const auto check, CheckDots(*parents, parent, *children, own, job->stop));
    ready.sums[static_cast<std::size_t>(parent)] = check;
  }
  job->publish(std::move(ready));
  return {};
}

}  // namespace headscope
