// Removes one head, and others of its layer one after another, and reports the cost of each.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/heads/scan/ablated_heads.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

// Collects the finished ones of `heads`, the first of which is the requested one; null: it is not
// finished.
std::shared_ptr<AblationReport> Collect(const AblatedHeads& measured,
                                        const std::vector<HeadIndex>& heads) {
  const AblatedHead* const own = measured.Find(heads.front());
  if (own == nullptr) {
    return nullptr;
  }
  auto report = std::make_shared<AblationReport>();
  report->own = *own;
  report->total = std::ssize(heads);
  for (std::size_t i = 1; i < heads.size(); ++i) {
    if (const AblatedHead* const control = measured.Find(heads[i])) {
      report->controls.push_back(*control);
    }
  }
  report->done = 1 + std::ssize(report->controls);
  return report;
}

}  // namespace

Status AblationJob::Run(Job* job) const {
  using Clock = std::chrono::steady_clock;
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "weights only, no model that could be run"));
  HEADSCOPE_TRY(const auto scan, job->opened->ScanWith(settings, probes, kept, job->stop));
  const ProbeCorpus* const corpus = scan->corpus(on_repeats);
  if (corpus == nullptr) {
    return Fail(ErrorCode::kInput, "the scan has no such texts for this model");
  }
  const std::shared_ptr<const Model> model = job->opened->model();
  const ScanAbout about = DescribeScan(*model, *corpus);
  std::optional<AblatedHeads>& measured = job->opened->ablated();
  if (!measured || !measured->IsOf(about)) {
    measured.emplace(about, kept);
  }
  std::vector<HeadIndex> heads = {head};
  for (const HeadIndex other : DrawControls(head, about.heads.heads, {})) {
    heads.push_back(other);
  }
  std::int64_t missing =
      std::ranges::count_if(heads, [&](HeadIndex one) { return measured->Find(one) == nullptr; });
  const bool is_kept = missing == 0;
  const auto tell = [&](double seconds_left) {
    if (auto report = Collect(*measured, heads)) {
      report->seconds_left = seconds_left;
      report->probe = corpus->probe;
      report->is_kept = is_kept;
      job->publish(HeadAblated{std::move(report)});
    }
  };
  tell(0.0);
  const auto begun = Clock::now();
  double done = 0.0;
  std::unique_ptr<HeadAblater> ablater;  // made if a measurement is missing
  for (const HeadIndex one : heads) {
    if (measured->Find(one) != nullptr) {
      continue;
    }
    if (ablater == nullptr) {
      HEADSCOPE_TRY(ablater, HeadAblater::Make(model, job->opened->backend(), *corpus, job->stop));
    }
    HEADSCOPE_TRY(const auto ablated, ablater->Measure({&one, 1}, job->stop));
    measured->Keep(ablated.front());
    --missing;
    done += 1.0;
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    tell(seconds / done * static_cast<double>(missing));
  }
  return {};
}

}  // namespace headscope
