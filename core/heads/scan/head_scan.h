// A scan for the window: all heads of a model over repeats and over annotated probe sentences, in
// short steps, with the scores so far after each.
//
// Texts of all lengths are run by turns, so that what is known early is of all of them. Sums are
// added in that order, which is the same every time. The measures (core/heads/measure/measure.h), which
// decide no role, come after it, over the batches of `score`.
//
// Shapes   as ScoreReport.
// Errors   kInput (no probe can be used: the message says why), kCancelled, what the forward returns.
// Threads  HeadScan: the backend's; HeadScanReport: immutable.
// Cost     a step is a forward over some hundred tokens, of a small model one for each thread; 20 sequences of each period and 40
//          sentences are some 6,000 tokens.
// Source   docs/reference.md, "Roles".
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/heads/probe/chosen_probe.h"
#include "core/heads/probe/retrieval.h"
#include "core/heads/scan/crew.h"
#include "core/heads/scan/head_scan_settings.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/retrieval_task.h"
#include "core/heads/scan/score_report.h"
#include "core/heads/scan/weight_means.h"
#include "core/model/forward.h"

namespace headscope {

// What one probe has given.
struct ProbeScores {
  ScoreReport report;
  std::vector<std::vector<NamedScores>> twins;  // of those that are done
};

struct HeadScanReport {
  ChosenProbe probe;          // of another than the bundled one: core/heads/scan/probe_scan.h
  HeadScanSettings settings;  // of the bundled one
  std::optional<ProbeScores> repeats;    // none: nothing yet, or why_no_repeats
  std::optional<ProbeScores> sentences;  // likewise; of another probe all there is
  std::string why_no_repeats;
  std::string why_no_sentences;
  std::int64_t all_sentences = 0;  // that the probe file has for this model
  std::int64_t done = 0;           // tokens
  std::int64_t total = 0;
  double seconds = 0.0;      // that it took so far
  bool is_kept = false;      // read from where an earlier scan kept it
  bool is_measured = false;  // the measures are there, too
  // Only for another probe than the bundled one.
  std::int64_t sequences_done = 0;
  std::vector<std::string> notes = {};  // what was left out, and why
  std::optional<TaskResult> task = {};  // of hidden sentences: as far as it was asked
  std::string why_no_task = {};         // it cannot be asked of this model
  // Only for an encoder-decoder, whose encoder has the scores above: the same for the heads of its
  // decoder and of cross-attention.
  std::vector<HeadScanReport> more = {};

  [[nodiscard]] bool is_whole() const { return done == total; }
  // What there is, sentences first.
  [[nodiscard]] std::vector<const ProbeScores*> Probes() const;
  // Returns the report on a part; this one if there is no other.
  [[nodiscard]] const HeadScanReport& Of(ModelPart part) const;
};

// Whether a folder has something that was kept of a model; a look at names alone.
[[nodiscard]] bool HasKeptScans(const std::filesystem::path& kept, std::string_view fingerprint);

class HeadScan {
 public:
  // `probes`: the folder of the probe sentences. `kept`: where results are kept by the model's
  // fingerprint, and found again; empty: nowhere. The forward and its backend outlive this.
  [[nodiscard]] static Result<std::unique_ptr<HeadScan>> Make(Forward* forward,
                                                              const HeadScanSettings& settings,
                                                              const std::filesystem::path& probes,
                                                              const std::filesystem::path& kept,
                                                              const std::stop_token& stop);

  [[nodiscard]] const HeadScanSettings& settings() const { return settings_; }
  [[nodiscard]] bool is_whole() const { return done_ == total_; }
  [[nodiscard]] double part_done() const {
    return total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 1.0;
  }
  // The next texts; where it is stopped, they are run again by the next call.
  [[nodiscard]] Status Step(const std::stop_token& stop);
  // The next of the measures, likewise; `is_measured` when all are there.
  [[nodiscard]] bool is_measured() const;
  struct MeasureSteps {
    std::int64_t done = 0;
    std::int64_t total = 0;
  };
  [[nodiscard]] MeasureSteps measure_steps() const;
  [[nodiscard]] Status StepMeasures(const MeasureSources& sources, const std::stop_token& stop);
  [[nodiscard]] HeadScanReport Report() const;
  // The texts that a score was measured on; null: there are none.
  [[nodiscard]] const ProbeCorpus* corpus(bool repeats) const {
    const auto& half = repeats ? repeats_ : sentences_;
    return half ? &half->corpus : nullptr;
  }
  // What the decoder reads of each; null: there is none, or nothing that it could read.
  [[nodiscard]] const ProbeCorpus* targets(bool repeats) const {
    const auto& half = repeats ? repeats_ : sentences_;
    return half ? TargetsOf(*half) : nullptr;
  }

 private:
  // The measures of one probe.
  struct MeasuredPart {
    std::vector<ScanBatch> batches;
    std::size_t next = 0;  // one past the batches, in the first half: of the weights
    bool is_whole = false;
    ScanPart part;  // as one batch
    std::filesystem::path kept;
  };

  // One probe, and what it has given so far.
  struct Half {
    ProbeCorpus corpus;
    std::optional<ProbeCorpus> targets;  // of an encoder-decoder
    WordCounts words;                    // of the corpus; none: relations are not asked for
    std::vector<ScanBatch> batches;      // in the order in which they are run
    std::size_t next = 0;                // batch, twins' included
    ScanPart part;  // all that is done of the model, and of each twin, as one batch
    std::filesystem::path kept;
    MeasuredPart measured;
  };

  [[nodiscard]] static const ProbeCorpus* TargetsOf(const Half& half) {
    return half.targets ? &*half.targets : nullptr;
  }
  HeadScan(Forward* forward, const HeadScanSettings& settings)
      : forward_(forward), settings_(settings) {}
  [[nodiscard]] Result<Half> Begin(ProbeCorpus corpus, const std::filesystem::path& kept) const;
  void Take(Result<Half> half, std::optional<Half>* to, std::string* why_not);
  [[nodiscard]] Half* Next();
  [[nodiscard]] Status StepTwin(std::int64_t twin, const std::stop_token& stop);
  void BeginMeasures(const std::filesystem::path& kept, Half* half) const;
  [[nodiscard]] Status MeasureNext(Half* half,
                                   bool has_weights,
                                   const MeasureSources& sources,
                                   const std::stop_token& stop) const;

  Forward* forward_;
  HeadScanSettings settings_;
  std::unique_ptr<ScanCrew> crew_;
  std::string why_no_effects_;
  std::optional<Half> repeats_;
  std::optional<Half> sentences_;
  std::string why_no_repeats_;
  std::string why_no_sentences_;
  std::int64_t all_sentences_ = 0;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
  std::chrono::steady_clock::duration spent_{};
  bool is_kept_ = false;
  std::int64_t twin_ = 0;  // the number of the twin that is scanned; 0: none is
  std::unique_ptr<TwinCrew> twin_crew_;
};

}  // namespace headscope
