// Says what other heads of the same layers cost the open text.
#include <utility>

#include "core/worker/head_control.h"
#include "core/worker/job.h"

namespace headscope {

Status HeadControlJob::Run(Job* job) const {
  Opened& opened = *job->opened;
  HEADSCOPE_TRY(
      opened.CheckModel(opening, "weights only, no model whose heads could be taken away"));
  HEADSCOPE_TRY(auto* const text, opened.Without(off, probes, job->stop));
  HEADSCOPE_TRY(const auto words, opened.Words());
  auto cost =
      RandomCostOf(text, opened.model()->description(), off, *words, kControlSeed, job->stop);
  HeadControl control;
  if (cost) {
    control.cost = std::move(*cost);
  } else if (cost.error().code == ErrorCode::kCancelled) {
    return tl::unexpected(cost.error());
  } else {
    control.why_not = cost.error().message;
  }
  job->publish(HeadControls{std::make_shared<const HeadControl>(std::move(control))});
  return {};
}

}  // namespace headscope
