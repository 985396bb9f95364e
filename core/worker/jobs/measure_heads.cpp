// Makes the measures that decide no role, once the roles are known.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status MeasuresJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "weights only, no model that could be measured"));
  HEADSCOPE_TRY(const auto scan, job->opened->ScanWith(settings, probes, kept, job->stop));
  while (!scan->is_measured()) {
    const HeadScan::MeasureSteps steps = scan->measure_steps();
    job->publish(Progress{.done = steps.done, .total = steps.total, .what = {}});
    HEADSCOPE_TRY(scan->StepMeasures({probes, token_maps}, job->stop));
  }
  job->publish(HeadsMeasured{std::make_shared<const HeadScanReport>(scan->Report())});
  return {};
}

}  // namespace headscope
