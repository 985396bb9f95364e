// Scans models one after another, each as if it were open, and reports each one when it is
// complete.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/worker/job.h"
#include "core/worker/numbers_of_model.h"

namespace headscope {
namespace {

using SeriesClock = std::chrono::steady_clock;
constexpr auto kBetweenProgress = std::chrono::milliseconds(250);

// The state of one run of the request; `scan` outlives it.
struct SeriesRun {
  const SeriesJob& asked;
  Job* job = nullptr;
  SeriesScan* scan = nullptr;
  std::int64_t done = 0;  // models
  SeriesClock::time_point told = SeriesClock::now() - kBetweenProgress;

  // The finished part of the current model; measures, if requested, are the second half.
  [[nodiscard]] double Part() const {
    if (scan->scan == nullptr) {
      return 0.0;
    }
    if (!asked.with_measures) {
      return scan->scan->part_done();
    }
    const HeadScan::MeasureSteps steps = scan->scan->measure_steps();
    const double measured =
        steps.total > 0 ? static_cast<double>(steps.done) / static_cast<double>(steps.total) : 0.0;
    return (scan->scan->part_done() + measured) / 2.0;
  }

  void Tell(const std::filesystem::path& model) {
    const auto total = std::ssize(asked.models);
    const double part = Part();
    const double scanned = static_cast<double>(scan->scanned) + part;
    const double left = static_cast<double>(total - done) - part;
    job->publish(SeriesProgress{
        .model = model,
        .done = done,
        .total = total,
        .part = part,
        .seconds_left = scan->seconds > 0.0 && scanned > 0.0 ? scan->seconds / scanned * left : 0.0,
    });
    told = SeriesClock::now();
  }
};

// Only one model at a time is held in addition to the open one.
void LetGo(SeriesScan* scan) {
  scan->scan = nullptr;
  scan->forward = nullptr;
  scan->folder.clear();
}

Status Begin(const std::filesystem::path& folder, SeriesRun* run) {
  SeriesScan& scan = *run->scan;
  if (scan.scan != nullptr && scan.folder == folder) {
    return {};  // it gave way
  }
  LetGo(&scan);
  run->Tell(folder);
  const std::stop_token& stop = run->job->stop;
  HEADSCOPE_TRY(auto model, Model::Open(folder, {}, stop));
  auto forward = std::make_unique<Forward>(std::move(model), run->job->opened->backend());
  HEADSCOPE_TRY(
      scan.scan,
      HeadScan::Make(forward.get(), scan.settings, run->asked.probes, run->asked.kept, stop));
  scan.folder = folder;
  scan.forward = std::move(forward);
  return {};
}

Result<ModelScanned> ScanToTheEnd(const std::filesystem::path& folder, SeriesRun* run) {
  HEADSCOPE_TRY(Begin(folder, run));
  SeriesScan& scan = *run->scan;
  HeadScan& heads = *scan.scan;
  bool was_kept = true;
  while (!heads.is_whole() || (run->asked.with_measures && !heads.is_measured())) {
    was_kept = false;
    if (SeriesClock::now() - run->told >= kBetweenProgress) {
      run->Tell(folder);
    }
    const auto begun = SeriesClock::now();
    if (heads.is_whole()) {
      HEADSCOPE_TRY(heads.StepMeasures({run->asked.probes, run->asked.token_maps}, run->job->stop));
    } else {
      HEADSCOPE_TRY(heads.Step(run->job->stop));
    }
    scan.seconds += std::chrono::duration<double>(SeriesClock::now() - begun).count();
  }
  scan.scanned += was_kept ? 0 : 1;
  const ProbeCorpus* const sentences = heads.corpus(false);
  HEADSCOPE_TRY(auto numbers,
                NumbersOf(scan.forward.get(),
                          sentences != nullptr ? sentences : heads.corpus(true),
                          run->job->stop));
  return ModelScanned{.folder = folder,
                      .fingerprint = scan.forward->model().fingerprint(),
                      .report = std::make_shared<const HeadScanReport>(heads.Report()),
                      .numbers = numbers};
}

}  // namespace

Status SeriesJob::Run(Job* job) const {
  std::unique_ptr<SeriesScan>& scan = job->opened->series();
  if (models.empty()) {
    scan = nullptr;
    return {};
  }
  HEADSCOPE_TRY(job->opened->Use(job->opened->precision()));  // none before the first model
  if (scan == nullptr || !(scan->settings == settings)) {
    scan = std::make_unique<SeriesScan>(SeriesScan{.settings = settings, .done = {}, .folder = {}});
  }
  SeriesRun run{.asked = *this, .job = job, .scan = scan.get()};
  for (const std::filesystem::path& folder : models) {
    const auto known = std::ranges::find(scan->done, folder, &ModelScanned::folder);
    if (known != scan->done.end() && (!with_measures || known->report->is_measured)) {
      job->publish(*known);  // finished before it gave way
      ++run.done;
      continue;
    }
    Result<ModelScanned> scanned = ScanToTheEnd(folder, &run);
    if (job->stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "the scan of the series was stopped");
    }
    LetGo(scan.get());
    ++run.done;
    if (!scanned) {
      job->publish(ModelScanned{.folder = folder, .why_not = std::move(scanned.error().message)});
      continue;
    }
    std::erase_if(scan->done, [&](const ModelScanned& one) { return one.folder == folder; });
    scan->done.push_back(*scanned);
    job->publish(std::move(*scanned));
  }
  scan = nullptr;  // files on the disk stay
  return {};
}

}  // namespace headscope
