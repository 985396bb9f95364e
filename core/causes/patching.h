// Takes one thing from the run of one text over into the run of another, and asks how much of the
// difference between the two comes with it.
//
//   metric     the logit of the right token minus that of the wrong one, at one row
//   denoising  the corrupted text is run, the thing is the clean text's; noising: the other way round
//   score      (metric - metric of the run text) / (metric of the other - metric of the run text)
//
// Units    scores: 0 as without the thing, 1 as with everything.
// Errors   kInput (texts of unequal numbers of tokens, a row or token that is not there, two texts of
//          the same metric, values that are no numbers), kUnsupported, the errors of the word layer and
//          of the forward.
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
#include <string>
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

// Of senders, each alone, to the inputs of later heads. In an encoder-decoder paths lead through the
// encoder, from it into the keys and values of cross-attention, or through the decoder.
struct PatchPaths {
  std::vector<HeadIndex> from;
  std::vector<HeadReading> to;  // none: to the logits
  bool freezes_mlps = false;
  friend bool operator==(const PatchPaths&, const PatchPaths&) = default;
};

struct PatchQuestion {
  PatchWhat what = PatchWhat::kOutput;
  PatchDirection direction = PatchDirection::kDenoise;
  // The only row of a head that is taken over: of its weights, its output and its queries that of a
  // query, of its keys and values that of a key.
  std::optional<std::int64_t> at = {};
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
    std::int64_t row = -1;   // -1: all; of a pattern: the row of its weights
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
// How many tokens the texts have, and in an encoder-decoder the target.
struct PatchLengths {
  std::int64_t text = 0;
  std::int64_t target = 0;
};
[[nodiscard]] PatchLengths LengthsOf(const PatchPair& pair);
// The heads of which something is taken over: all, or those that have the row; none: no head has it.
[[nodiscard]] std::vector<HeadIndex> HeadsTaken(const ModelDescription& model,
                                                const PatchQuestion& question,
                                                PatchLengths lengths);
// kInput: no head has the only row that is asked for.
[[nodiscard]] Status CheckRowTaken(const ModelDescription& model,
                                   const PatchQuestion& question,
                                   PatchLengths lengths);
// The runs of a question without paths, in the order of PatchedPair::metrics.
[[nodiscard]] std::vector<std::vector<Patching::Thing>> RunsOf(const ModelDescription& model,
                                                               const PatchPair& pair,
                                                               const PatchQuestion& question);
// Whether a path through no other head leads from a head to what another one reads.
[[nodiscard]] bool ReachesDirectly(HeadIndex sender, const HeadReading& receiver);
// Every head that reaches all of the receivers directly; without any, those that reach the logits.
[[nodiscard]] std::vector<HeadIndex> SendersTo(const ModelDescription& model,
                                               std::span<const HeadReading> receivers);
// The runs of a question of paths, in the order of PatchedPair::metrics.
[[nodiscard]] std::vector<std::vector<HeadIndex>> SendersOf(const PatchPaths& paths);
// Why SendersTo is empty, in words that follow a colon: "no head is before L0H1".
[[nodiscard]] std::string WhyNoSender(std::span<const HeadReading> receivers);
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
  // Pairs in which the metric has the other text's sign again; none: one pair, or none of whose texts
  // the metric has other signs.
  std::optional<std::int64_t> restored = {};
};
// Over pairs: the mean change of the metric over the mean difference, with the error of this ratio.
// kInput: the difference is too small.
[[nodiscard]] Result<std::vector<PatchScore>> ScoresOfPairs(std::span<const PatchedPair> pairs,
                                                            PatchDirection direction);

}  // namespace headscope
