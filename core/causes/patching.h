// Takes one thing from the run of one text over into the run of another, and asks how much of the
// difference between the two comes with it.
//
//   metric     the logit of the right token minus that of the wrong one, at one row
//   denoising  the corrupted text is run, the thing is the clean text's; noising: the other way round
//   score      (metric - metric of the run text) / (metric of the other - metric of the run text)
//
// Units    scores: 0 as without the thing, 1 as with everything.
// Errors   kInput (texts of unequal numbers of tokens, a row or token that is not there, two texts of
//          the same metric), kUnsupported, the errors of the word layer and of the forward.
// Threads  the backend's.
// Cost     runs begin at the layer of what is taken over, and go side by side.
// Source   Vig 2020; Meng 2022; Wang 2022, appendix B (paths).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/causes/asked_heads.h"
#include "core/model/forward.h"

namespace headscope {

enum class PatchWhat {
  kOutput,   // a head's output
  kPattern,  // its weights, with its own values
  kQueries,  // a head's own; of grouped keys and values what this head reads of them
  kKeys,
  kValues,
  kStream,     // the residual stream before a layer, at one position
  kMlp,        // what a layer's MLP adds there
  kAttention,  // what its attention adds there
};
enum class PatchDirection { kDenoise, kNoise };

[[nodiscard]] std::string_view PatchName(PatchWhat what);  // "output"
[[nodiscard]] std::optional<PatchWhat> ParsePatchWhat(std::string_view name);
[[nodiscard]] std::string_view PatchName(PatchDirection direction);  // "denoise"
[[nodiscard]] std::optional<PatchDirection> ParsePatchDirection(std::string_view name);
// Whether it is a head's; else a layer's at each position.
[[nodiscard]] constexpr bool IsOfHeads(PatchWhat what) {
  return what < PatchWhat::kStream;
}

struct PatchPair {
  ForwardInput clean;
  ForwardInput corrupted;
  std::int32_t right = 0;
  std::int32_t wrong = 0;
  std::int64_t row = 0;
};

// Of senders, each alone, to the inputs of later heads.
struct PatchPaths {
  std::vector<HeadIndex> from;
  std::vector<HeadReading> to;  // none: to the logits
  bool freezes_mlps = false;
  friend bool operator==(const PatchPaths&, const PatchPaths&) = default;
};

struct PatchQuestion {
  PatchWhat what = PatchWhat::kOutput;
  PatchDirection direction = PatchDirection::kDenoise;
  std::optional<std::int64_t> at = {};   // the only row of a head that is taken over
  std::optional<PatchPaths> paths = {};  // in place of `what`
};

// What the metric becomes.
struct PatchedPair {
  double clean = 0.0;
  double corrupted = 0.0;
  // With each thing taken over: heads in the order of AllHeadsOf, or layers x positions; of paths
  // the senders in their order, then all of them together.
  std::vector<double> metrics;
};

// Is told, before each run, the metrics that are there.
using OnPatched = std::function<void(std::span<const double> metrics)>;

// Two texts on one model, both run once.
class Patching {
 public:
  // The forward outlives this. The texts must be equally long.
  [[nodiscard]] static Result<std::unique_ptr<Patching>> Make(Forward* forward,
                                                              const PatchPair& pair,
                                                              PatchDirection direction,
                                                              const std::stop_token& stop);
  ~Patching();
  Patching(const Patching&) = delete;
  Patching& operator=(const Patching&) = delete;

  [[nodiscard]] double clean_metric() const;
  [[nodiscard]] double corrupted_metric() const;
  // The score of a metric.
  [[nodiscard]] double ScoreOf(double metric) const;

  struct Thing {
    PatchWhat what = PatchWhat::kOutput;
    LayerId layer;
    std::int64_t head = -1;  // -1: all
    std::int64_t row = -1;   // -1: all
    std::span<const float> rows =
        {};  // in place of the other text's, shaped as those; outlive the run
  };
  // Returns the metric of each run, in which all of its things are taken over.
  [[nodiscard]] Result<std::vector<double>> Run(const std::vector<std::vector<Thing>>& runs,
                                                const std::stop_token& stop,
                                                const OnPatched& on_part = {});
  // The same of senders whose outputs reach the receivers along direct paths alone.
  [[nodiscard]] Result<std::vector<double>> RunPaths(
      const std::vector<std::vector<HeadIndex>>& senders,
      const PatchPaths& paths,
      const std::stop_token& stop,
      const OnPatched& on_part = {});

 private:
  struct State;
  explicit Patching(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// kInput: the texts are not equally long, or have no such row.
[[nodiscard]] Status CheckPair(const ModelDescription& model, const PatchPair& pair);
// The runs of a question without paths, in the order of PatchedPair::metrics.
[[nodiscard]] std::vector<std::vector<Patching::Thing>> RunsOf(const ModelDescription& model,
                                                               const PatchPair& pair,
                                                               const PatchQuestion& question);
// Every head before the first of the receivers, all heads where there is none.
[[nodiscard]] std::vector<HeadIndex> SendersTo(const ModelDescription& model,
                                               std::span<const HeadReading> receivers);
// The runs of a question of paths, in the order of PatchedPair::metrics.
[[nodiscard]] std::vector<std::vector<HeadIndex>> SendersOf(const PatchPaths& paths);
// kUnsupported: an encoder and a decoder, between which paths are not followed.
[[nodiscard]] Status CheckPaths(const ModelDescription& model);
// Answers the question for one pair.
[[nodiscard]] Result<PatchedPair> PatchPairOf(Forward* forward,
                                              const PatchPair& pair,
                                              const PatchQuestion& question,
                                              const std::stop_token& stop,
                                              const OnPatched& on_part = {});

// Two metrics closer than this tell nothing apart.
inline constexpr double kLeastDifference = 1e-3;

struct PatchScore {
  double score = 0.0;
  std::optional<double> error = {};  // none: one pair
  std::int64_t restored = 0;         // pairs in which the metric has the other text's sign again
};
// Over pairs: the mean change of the metric over the mean difference, with the error of this ratio.
// kInput: the difference is too small.
[[nodiscard]] Result<std::vector<PatchScore>> ScoresOfPairs(std::span<const PatchedPair> pairs,
                                                            PatchDirection direction);

}  // namespace headscope
