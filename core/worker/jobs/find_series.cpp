// Searches the disk for the other models of a series.
#include "core/worker/job.h"

namespace headscope {

Status FindSeriesJob::Run(Job* job) const {
  job->publish(SeriesFound{FindSeries(model)});
  return {};
}

}  // namespace headscope
