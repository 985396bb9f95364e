// Batches of a scan, some side by side: the layers of a small model are too short to be shared out
// among threads, so that each thread runs texts of its own, through weights of its own.
//
// Errors   as RunBatch; of several batches that fail the first one's.
// Threads  where the model is small and its backend has several: as many that wait between calls and
//          run a batch each. Else the backend's.
// Cost     weights are prepared once for each of these threads, 256 MB of them in all at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/scan.h"
#include "core/model/forward.h"

namespace headscope {

// Whether what heads add is measured as well: effects on logits, norms of outputs. Where the model
// has neither, nothing is.
struct ScanShown {
  bool effects = false;
  bool norms = false;
};

struct RanBatches {
  std::size_t count = 0;
  std::int64_t tokens = 0;
};

class ScanCrew {
 public:
  // The forward and its backend outlive this.
  explicit ScanCrew(Forward* forward);
  ~ScanCrew();
  ScanCrew(const ScanCrew&) = delete;
  ScanCrew& operator=(const ScanCrew&) = delete;

  // Why effects on logits cannot be measured; empty: they can. kCancelled.
  [[nodiscard]] Result<std::string> WhyNoEffects(const std::stop_token& stop);
  // Batches that are run at once.
  [[nodiscard]] std::size_t size() const { return size_; }

  // On the thread that calls Run, in any order; `batch`: its place among those that are run. Where it
  // fails, no more are begun.
  using Keep = std::function<Status(std::size_t batch, BatchSums sums)>;
  // `tools`: but for what `shown` is about.
  [[nodiscard]] Status Run(const ProbeCorpus& corpus,
                           const ScanTools& tools,
                           ScanShown shown,
                           std::span<const ScanBatch> batches,
                           const Keep& keep,
                           const std::stop_token& stop);
  // Runs the first of those that are left, as many as go at once, and adds them, in their order, to the
  // sums that `part` has as its batch `to`.
  [[nodiscard]] Result<RanBatches> RunSome(const ProbeCorpus& corpus,
                                           const ScanTools& tools,
                                           ScanShown shown,
                                           std::span<const ScanBatch> left,
                                           const std::stop_token& stop,
                                           std::int64_t to,
                                           ScanPart* part);

 private:
  struct Hand;
  class Lanes;
  Forward& forward_;
  std::size_t size_;
  std::unique_ptr<Hand> own_;     // of the caller's thread
  std::unique_ptr<Lanes> lanes_;  // of the others; null: none yet
};

// A twin of a model (core/model/twin.h), ready to be scanned.
struct TwinCrew {
  TwinCrew(std::shared_ptr<const Model> twin, Backend* backend)
      : forward(std::move(twin), backend), crew(&forward) {}

  // The backend of `forward` outlives the twin.
  [[nodiscard]] static Result<std::unique_ptr<TwinCrew>> Make(const Forward& forward,
                                                              std::uint64_t seed,
                                                              const std::stop_token& stop);

  Forward forward;
  ScanCrew crew;
};

}  // namespace headscope
