// Finds texts of the scan that show what a head does.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status ExamplesJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  const std::unique_ptr<HeadScan>& scan = job->opened->scan();
  const std::unique_ptr<ProbeScan>& own = job->opened->own_scan().scan;
  const ProbeCorpus* corpus = nullptr;
  const ProbeCorpus* targets = nullptr;
  if (on_chosen && own != nullptr) {
    corpus = &own->corpus();
    targets = own->targets();
  } else if (!on_chosen && scan != nullptr) {
    corpus = scan->corpus(on_repeats);
    targets = scan->targets(on_repeats);
  }
  if (corpus == nullptr) {
    return Fail(ErrorCode::kInput, "there is no scan yet whose texts could be looked at");
  }
  HEADSCOPE_TRY(auto found,
                FindExamples(job->opened->forward(), *corpus, targets, head, metric, job->stop));
  job->publish(ExamplesFound{std::move(found)});
  return {};
}

}  // namespace headscope
