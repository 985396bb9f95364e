// A scan for the window of what a person chose: a file of their own, or hidden sentences. It runs the
// batches of `headscope score --probe`, in their order and with all that they measure, so that its
// numbers are the same to the last bit. Scores come after each batch, roles once all are done.
//
// Shapes   as ScoreReport; Report().sentences holds the scores, whatever the texts are; of an
//          encoder-decoder Report().more those of its other parts.
// Errors   kInput, kFormat, kIo, kUnsupported (nothing in the file can be used; the message says
//          where and why), kCancelled, what the forward returns.
// Threads  the backend's; reports are immutable.
// Cost     a step is a batch (some 2,000 tokens), of a small model one for each thread; what the weights
//          tell; or two forwards over one text.
//          What was whole once is found again by the model's fingerprint and the texts' contents.
// Source   docs/reference.md, "score".
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/probe/chosen_probe.h"
#include "core/heads/probe/retrieval.h"
#include "core/heads/scan/crew.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/retrieval_task.h"
#include "core/heads/scan/weight_means.h"
#include "core/model/forward.h"

namespace headscope {

struct ProbePlaces {
  MeasureSources sources;           // of the numbers of the weights, and of texts to hide in
  std::filesystem::path kept = {};  // where results are kept; empty: nowhere
};

class TokenLosses;

// Whatever decides scores: ids, what is annotated, what is asked for.
[[nodiscard]] std::string ContentsDigest(const ProbeCorpus& corpus);

class ProbeScan {
 public:
  // The forward and its backend outlive this. Not for kBundled (core/heads/scan/head_scan.h).
  [[nodiscard]] static Result<std::unique_ptr<ProbeScan>> Make(Forward* forward,
                                                               const ChosenProbe& chosen,
                                                               const ProbePlaces& places,
                                                               const std::stop_token& stop);

  ~ProbeScan();
  ProbeScan(const ProbeScan&) = delete;
  ProbeScan& operator=(const ProbeScan&) = delete;

  [[nodiscard]] const ProbeCorpus& corpus() const { return corpus_; }
  // As HeadScan::targets.
  [[nodiscard]] const ProbeCorpus* targets() const { return targets_ ? &*targets_ : nullptr; }
  [[nodiscard]] bool is_whole() const { return has_batches() && has_weights_ && has_task(); }
  // What comes next; where it is stopped, it is run again by the next call.
  [[nodiscard]] Status Step(const std::stop_token& stop);
  [[nodiscard]] HeadScanReport Report() const;

 private:
  ProbeScan(Forward* forward, const ChosenProbe& chosen, const ProbePlaces& places);
  [[nodiscard]] bool has_batches() const { return next_ == batches_.size(); }
  [[nodiscard]] bool has_task() const;
  [[nodiscard]] bool asks_task() const { return chosen_.kind == ProbeKind::kRetrieval; }
  void FindKept();
  [[nodiscard]] Status StepBatches(const std::stop_token& stop);
  [[nodiscard]] Status StepTask(const std::stop_token& stop);
  void Keep() const;
  [[nodiscard]] ScoreReport ScoresSoFar() const;  // of all parts

  Forward* forward_;
  ChosenProbe chosen_;
  ProbePlaces places_;
  ProbeCorpus corpus_;
  std::optional<ProbeCorpus> targets_;  // of an encoder-decoder
  ScanPart part_;                       // all that is done, as one batch
  std::vector<ScanBatch> batches_;
  WordCounts words_;
  std::unique_ptr<ScanCrew> crew_;
  std::size_t next_ = 0;  // batch
  bool has_weights_ = false;
  TaskResult task_;
  std::string why_no_task_;
  std::unique_ptr<TokenLosses> losses_;  // while the task is done
  std::filesystem::path kept_;           // empty: nowhere
  bool is_kept_ = false;
  std::int64_t done_ = 0;  // tokens that are run
  std::int64_t total_ = 0;
  std::chrono::steady_clock::duration spent_{};
};

}  // namespace headscope
