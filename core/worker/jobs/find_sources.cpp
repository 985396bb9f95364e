// Splits the score of one cell by what wrote it.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status SourcesJob::Run(Job* job) const {
  HEADSCOPE_TRY(
      job->opened->CheckModel(opening, "weights only, no model that could say what made them"));
  if (!job->opened->input()) {
    return Fail(ErrorCode::kInput, "there is no text yet: type a sentence first");
  }
  HEADSCOPE_TRY(auto found,
                FindCellSources(job->opened->forward(), *job->opened->input(), cell, job->stop));
  job->publish(SourcesReady{std::make_shared<const CellSources>(std::move(found))});
  return {};
}

}  // namespace headscope
