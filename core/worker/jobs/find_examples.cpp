// Finds texts of the scan that show what a head does.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status ExamplesJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  const std::unique_ptr<HeadScan>& scan = job->opened->scan();
  const ProbeCorpus* const corpus = scan != nullptr ? scan->corpus(on_repeats) : nullptr;
  if (corpus == nullptr) {
    return Fail(ErrorCode::kInput, "there is no scan yet whose texts could be looked at");
  }
  auto found = FindExamples(
      job->opened->forward(), *corpus, scan->targets(on_repeats), head, metric, job->stop);
  HEADSCOPE_TRY(found);
  job->publish(ExamplesFound{std::move(*found)});
  return {};
}

}  // namespace headscope
