// Scans all heads of the open model and reports progress.
#include <chrono>
#include <utility>

#include "core/worker/job.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenReports = std::chrono::milliseconds(250);

}  // namespace

Status HeadScanJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "weights only, no model that could be scanned"));
  if (only_kept && !HasKeptScans(kept, job->opened->model()->fingerprint())) {
    return {};
  }
  std::unique_ptr<HeadScan>& scan = job->opened->scan();
  if (scan == nullptr || !(scan->settings() == settings)) {
    HEADSCOPE_TRY(scan, HeadScan::Make(job->opened->forward(), settings, probes, kept, job->stop));
  }
  const auto tell = [&] {
    job->publish(HeadsScanned{std::make_shared<const HeadScanReport>(scan->Report())});
  };
  if (only_kept && !scan->is_whole()) {
    return {};
  }
  auto told = Clock::now() - kBetweenReports;  // the first step is reported at once
  while (!scan->is_whole()) {
    HEADSCOPE_TRY(scan->Step(job->stop));
    if (!scan->is_whole() && Clock::now() - told >= kBetweenReports) {
      tell();
      told = Clock::now();
    }
  }
  tell();
  return {};
}

}  // namespace headscope
