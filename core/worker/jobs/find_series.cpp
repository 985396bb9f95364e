// Looks on the disk for the models that one belongs with.
#include "core/worker/job.h"

namespace headscope {

Status FindSeriesJob::Run(Job* job) const {
  job->publish(SeriesFound{FindSeries(model)});
  return {};
}

}  // namespace headscope
