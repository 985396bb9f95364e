// Scans all heads of the open model on texts that the user chose, and reports progress.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/worker/job.h"

namespace headscope {
namespace {

using ProbeClock = std::chrono::steady_clock;
constexpr auto kBetweenScores = std::chrono::milliseconds(250);
// Collecting scores of many words takes long: it may use at most this fraction of the time.
constexpr int kScoresPart = 10;

}  // namespace

Status ProbeScanJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "weights only, no model that could be scanned"));
  OwnScan& own = job->opened->own_scan();
  if (own.scan == nullptr || own.asked != asked) {
    HEADSCOPE_TRY(auto made,
                  ProbeScan::Make(job->opened->forward(),
                                  probe,
                                  {.sources = {probes, token_maps}, .kept = kept},
                                  job->stop));
    own = {.asked = asked, .scan = std::move(made)};
  }
  ProbeClock::time_point next;
  const auto tell = [&] {
    const auto begin = ProbeClock::now();
    job->publish(HeadsScanned{std::make_shared<const HeadScanReport>(own.scan->Report())});
    const auto end = ProbeClock::now();
    next = end + std::max<ProbeClock::duration>(kBetweenScores, kScoresPart * (end - begin));
  };
  tell();
  if (own.scan->is_whole()) {
    return {};
  }
  while (!own.scan->is_whole()) {
    HEADSCOPE_TRY(own.scan->Step(job->stop));
    if (!own.scan->is_whole() && ProbeClock::now() >= next) {
      tell();
    }
  }
  tell();
  return {};
}

}  // namespace headscope
