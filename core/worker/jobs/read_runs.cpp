// Reads the training runs of a folder.
#include "core/worker/job.h"

namespace headscope {

Status ReadRunsJob::Run(Job* job) const {
  HEADSCOPE_TRY(auto runs, ReadTrainRuns(folder, job->stop));
  job->publish(RunsRead{std::move(runs)});
  return {};
}

}  // namespace headscope
