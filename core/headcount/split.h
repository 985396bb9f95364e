// One layer's own projections, cut into other numbers of heads: what h changes when nothing else
// does.
//
// Shapes   output [n, d]; columns: for each head an ascending set of the D = heads head_dim
//          columns. A cut is a layer of h heads like any other (core/attention/layer_attention.h):
//          queries, keys and two numbers per row; nothing here is as large as its maps.
// Units    output_difference: relative Frobenius norm; mean_divergence: Jensen-Shannon, nats;
//          milliseconds: wall time; parameters and multiplies: for the layer's attention, by the
//          formula of core/headcount/attention_widths.h.
// Errors   kInput (a count of 0 or over D), kUnsupported (value_dim != head_dim), kBackend,
//          kNumeric, kCancelled.
// Threads  Split and Cut: the backend's thread. The rest: any.
// Cost     per count: n^2 D multiplications for the scores whatever h is, h n^2 exponentials; the
//          comparison of heads takes h^2 n^2 / 2 logarithms. Memory: the layer's own numbers a few
//          times over, and blocks of rows of all heads, 32 MiB or one row of each.
// Source   docs/reference.md, "split".
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

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/headcount/attention_widths.h"
#include "core/headcount/kept_heads.h"
#include "core/headcount/score_rank.h"
#include "core/model/forward.h"

namespace headscope {

// Which of the D columns a head owns. Contiguous and strided: each column has one owner. Random:
// each head has K of them, drawn independently. Overlapping: K neighbours, whose first columns are
// evenly spaced.
enum class SegmentKind { kContiguous, kStrided, kRandom, kOverlapping };
// The projections used: the model's; all 1; drawn with variance 1/d in this layer alone; or those
// of the model's own step 0, whose layer is another layer (SplitJob). Ones and draws have no
// biases, rotary turns, norms of queries and keys, caps or head biases.
enum class SplitWeights { kTrained, kOnes, kRandom, kStepZero };
// The projections' input: what the layer reads, or normal numbers [n, d] drawn at random.
enum class SplitInput { kLayer, kNormal };

[[nodiscard]] std::string_view Name(SegmentKind segments);  // "contiguous", ...
[[nodiscard]] std::string_view Name(SplitWeights weights);  // "trained", "ones", "random"
[[nodiscard]] std::string_view Name(SplitInput input);      // "layer", "normal"
[[nodiscard]] std::optional<SegmentKind> ParseSegments(std::string_view name);
[[nodiscard]] std::optional<SplitWeights> ParseSplitWeights(std::string_view name);
[[nodiscard]] std::optional<SplitInput> ParseSplitInput(std::string_view name);

struct SplitRequest {
  // Empty: 1, 2, 4, ... up to D, and the trained count.
  std::vector<std::int64_t> head_counts;
  SegmentKind segments = SegmentKind::kContiguous;
  std::optional<std::int64_t> head_dim = {};  // K for random and overlapping segments; none: D/h
  // If K is not given, overlapping heads have 2 D/(h + 1) columns, so that neighbours share half of
  // them.
  bool shares_half = false;
  SplitWeights weights = SplitWeights::kTrained;
  std::optional<SplitInput> input = {};  // none: normal for ones, whose maps of a norm are even
  double input_scale = 1.0;
  std::uint64_t seed = 1;     // for all draws
  bool keeps_outputs = true;  // for a file; otherwise each is dropped once compared

  [[nodiscard]] SplitInput InputUsed() const {
    return input.value_or(weights == SplitWeights::kOnes ? SplitInput::kNormal
                                                         : SplitInput::kLayer);
  }
  // True if queries, keys and values are those of the model on its text.
  [[nodiscard]] bool UsesLayer() const {
    return weights == SplitWeights::kTrained && InputUsed() == SplitInput::kLayer &&
           input_scale == 1.0;
  }
  friend bool operator==(const SplitRequest&, const SplitRequest&) = default;
};

struct SplitCount {
  std::int64_t heads = 0;
  std::shared_ptr<const LayerAttention> attention;  // the cut
  std::vector<float> output;                        // [n, d]; empty unless kept
  std::int64_t parameters = 0;                      // of the layer's attention: independent of h
  std::int64_t multiplies = 0;     // of its projections and products, over the columns of all heads
  std::int64_t softmax_cells = 0;  // h n^2
  std::int64_t map_bytes = 0;      // the size of whole maps
  double milliseconds = 0.0;       // for the attention: the median of `timed_runs`
  double milliseconds_apart = 0.0;  // the width of the middle half of the runs
  std::int64_t timed_runs = 0;      // several if a run is short; more if the times are far apart
  double output_difference = 0.0;
  std::optional<double> mean_divergence;  // null for one head
  double effective_heads = 0.0;           // core/headcount/head_similarity.h: 1..h
  std::int64_t unowned_columns = 0;
  double largest_weight = 0.0;        // per row; the mean over heads and rows that see several keys
  std::vector<ScoreRank> ranks = {};  // [h], of the heads' scores
  std::optional<KeptHeads> kept = {};  // none: too wide, too many heads, or they share columns
  bool is_measured = true;             // false: only maps so far; no output, times or comparisons

  // The time is known if the runs' spread is no larger than their median.
  [[nodiscard]] bool IsTimeKnown() const { return milliseconds_apart <= milliseconds; }
};

// The effect of the input's scale under weights that are all 1 (core/headcount/equal_weights.h).
struct CountAtScale {
  std::int64_t heads = 0;
  double output_difference = 0.0;  // from the trained count at the same scale
  double largest_weight = 0.0;     // as in SplitCount
  friend bool operator==(const CountAtScale&, const CountAtScale&) = default;
};
struct SplitAtScale {
  double input_scale = 1.0;
  std::vector<CountAtScale> counts;  // ascending
  friend bool operator==(const SplitAtScale&, const SplitAtScale&) = default;
};

// The same over many draws of the input, at many scales (core/headcount/equal_weights.h).
struct EqualCurvePoint {
  std::int64_t heads = 0;
  double mean = 0.0;    // of output_difference over the draws
  double spread = 0.0;  // its standard deviation
  friend bool operator==(const EqualCurvePoint&, const EqualCurvePoint&) = default;
};
struct EqualCurve {
  double input_scale = 1.0;
  double largest_weight = 0.0;          // of a row, the mean over counts and draws
  std::vector<EqualCurvePoint> counts;  // ascending
  friend bool operator==(const EqualCurve&, const EqualCurve&) = default;
};
struct EqualCurves {
  std::int64_t rows = 0;           // of each draw
  std::vector<EqualCurve> scales;  // ascending
  friend bool operator==(const EqualCurves&, const EqualCurves&) = default;
};

struct SplitResult {
  std::int64_t layer = 0;
  std::int64_t trained_heads = 0;
  bool leaves_bias_out =
      false;                  // each trained head has a bias or a sink of its own, which no cut has
  SplitRequest request = {};  // what was asked for
  std::vector<SplitCount> counts;          // ascending
  std::vector<std::int64_t> planned = {};  // all counts there will be, ascending
  std::vector<SplitAtScale> scales = {};   // for weights that are all 1: the largest scale first
  EqualCurves curves = {};                 // for those, where somebody listens
  ScoreRank all_columns = {};              // of one head with all columns; empty until measured
  // The trained count cut contiguously, for comparison with other segments; none: not measured.
  std::optional<double> contiguous_effective_heads = {};

  [[nodiscard]] std::vector<std::shared_ptr<const LayerAttention>> Cuts() const;
  // True if this count is the layer as it was trained, cut as it was trained.
  [[nodiscard]] bool IsTrained(const SplitCount& count) const {
    return count.heads == trained_heads && request.segments == SegmentKind::kContiguous &&
           request.weights == SplitWeights::kTrained;
  }
};

// Returns the number of columns of its heads: "96", or "10–11" if heads differ.
[[nodiscard]] std::string WidthText(const SplitCount& count);

// Returns the contiguous columns of each head: the first D mod h heads have ceil(D/h), the others
// floor(D/h).
[[nodiscard]] std::vector<std::vector<std::int32_t>> ContiguousColumns(std::int64_t width,
                                                                       std::int64_t heads);

// Lists what differs from the model, each with its seed or number: "overlapping columns, 57 a
// head", "random columns (seed 1)", "every weight 1", "normal numbers in place of what the layer
// reads (seed 1)", "the input times 0.1". Empty: nothing differs.
[[nodiscard]] std::vector<std::string> ChangesOf(const SplitRequest& request);

// Returns K, the columns of each head, for random and overlapping segments.
[[nodiscard]] std::int64_t HeadDimOf(const SplitRequest& request,
                                     std::int64_t width,
                                     std::int64_t heads);

// Returns the columns of every head, ascending within each. `head_dim` applies to random and
// overlapping segments; draws depend on the seed and the number of heads, not on the other counts.
[[nodiscard]] std::vector<std::vector<std::int32_t>> SegmentColumns(const SplitRequest& request,
                                                                    std::int64_t width,
                                                                    std::int64_t heads);

// Returns 1, 2, 4, ... up to `most` and to the width, and the trained count, ascending.
[[nodiscard]] std::vector<std::int64_t> DefaultHeadCounts(std::int64_t trained,
                                                          std::int64_t width,
                                                          std::int64_t most);

// What is cut, and the means to do it: `layer` was captured with its values and is kept by the
// cuts; `output` [D, d] is its output projection, prepared by `backend`. Without `output`, CutLayer
// makes only maps, for which the layer needs no values.
struct SplitSource {
  Backend* backend = nullptr;
  const Linear* output = nullptr;
  LearntNumbers costs;  // parameters, and what the projections multiply
  std::shared_ptr<const LayerAttention> layer;
  std::span<const double> gram = {};  // of `output`; empty: what heads write is not told apart
};
// Is called with the result as it grows: each count's maps, then its measurements.
using SplitListener = std::function<void(const SplitResult&)>;
// Makes the maps of all counts and measures nothing; `layer` needs no values.
[[nodiscard]] Result<SplitResult> SplitMaps(Backend* backend,
                                            std::shared_ptr<const LayerAttention> layer,
                                            const SplitRequest& request,
                                            const std::stop_token& stop,
                                            const SplitListener& listener = {});
struct SplitProgress {
  std::optional<SplitResult> maps = {};  // already made, for the same layer and request
  SplitListener listener = {};           // empty: nobody waits, and everything is made at once
};
// Uses the layer as given: it was made with the weights and the input that `request` names.
[[nodiscard]] Result<SplitResult> SplitLayer(const SplitSource& source,
                                             const SplitRequest& request,
                                             const std::stop_token& stop,
                                             SplitProgress progress = {});
// Uses the forward's backend and output projection, and the weights and input that `request` names;
// the layer was captured with its states. kUnsupported: other weights or another input when the
// keys belong to another text.
[[nodiscard]] Result<SplitResult> SplitLayer(Forward* forward,
                                             std::shared_ptr<const LayerAttention> layer,
                                             const SplitRequest& request,
                                             const std::stop_token& stop,
                                             SplitProgress progress = {});

// Makes one cut into any heads, with columns as in HeadCut; output_difference stays 0.
[[nodiscard]] Result<SplitCount> CutLayer(const SplitSource& source,
                                          std::vector<std::vector<std::int32_t>> columns,
                                          const std::stop_token& stop);

}  // namespace headscope
