// The measures of a scan for the window: a second pass over its texts, run side by side as `score`
// runs them (of the same texts the whole model is shown, apart from the others), since some of them
// compare texts of one run; and what the weights alone tell.
#include <algorithm>

#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/weight_means.h"

namespace headscope {

void HeadScan::BeginMeasures(const std::filesystem::path& kept, Half* half) const {
  MeasuredPart& measured = half->measured;
  measured.batches = CutBatches(half->corpus);
  measured.part.about = half->part.about;
  measured.part.about.twins = 0;
  if (kept.empty()) {
    return;
  }
  measured.kept = half->kept;
  measured.kept.replace_extension(".measured");
  Result<ScanPart> part = ReadPart(measured.kept);
  if (part && part->about == measured.part.about && part->is_whole()) {
    measured.part.done = std::move(part->done);
    measured.is_whole = true;
  }
}

bool HeadScan::is_measured() const {
  return (!sentences_ || sentences_->measured.is_whole) &&
         (!repeats_ || repeats_->measured.is_whole);
}

HeadScan::MeasureSteps HeadScan::measure_steps() const {
  MeasureSteps steps{.done = 0, .total = 1};  // the weights
  for (const std::optional<Half>* half : {&sentences_, &repeats_}) {
    if (*half) {
      const MeasuredPart& measured = (*half)->measured;
      const auto batches = std::ssize(measured.batches);
      steps.total += batches;
      steps.done += measured.is_whole ? batches : static_cast<std::int64_t>(measured.next);
    }
  }
  steps.done = is_measured() ? steps.total : std::min(steps.done, steps.total - 1);
  return steps;
}

Status HeadScan::StepMeasures(const MeasureSources& sources, const std::stop_token& stop) {
  for (std::optional<Half>* half : {&sentences_, &repeats_}) {
    if (*half && !(*half)->measured.is_whole) {
      const bool is_first = half == &sentences_ || !sentences_;
      return MeasureNext(&**half, is_first, sources, stop);
    }
  }
  return {};
}

// Numbers of the weights are of no text: they stand with the first half.
Status HeadScan::MeasureNext(Half* half,
                             bool has_weights,
                             const MeasureSources& sources,
                             const std::stop_token& stop) const {
  MeasuredPart& measured = half->measured;
  if (measured.next < measured.batches.size()) {
    HEADSCOPE_TRY(const auto ran,
                  crew_->RunSome(half->corpus,
                                 {.measures = true, .targets = TargetsOf(*half)},
                                 {.norms = true},
                                 std::span(measured.batches).subspan(measured.next),
                                 stop,
                                 0,
                                 &measured.part));
    measured.next += ran.count;
  } else {
    BatchSums weights;
    HEADSCOPE_TRY(AddWeightMeans(forward_, sources, stop, &weights));
    measured.part.done[0].Add(weights);
    ++measured.next;
  }
  if (measured.next == measured.batches.size() + (has_weights ? 1 : 0)) {
    measured.is_whole = true;
    if (measured.part.done[0]
            .why_not.empty()) {  // else a file could not be read, which may be mended
      KeepPart(measured.part, measured.kept);
    }
  }
  return {};
}

}  // namespace headscope
