#include "core/headcount/split.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/thread_role.h"
#include "core/headcount/equal_weights.h"
#include "core/headcount/relative_difference.h"

namespace headscope {
namespace {

// Comparing weights of different heads pairwise takes longest of a cut into many heads.
constexpr double kMostComparisons = 2e10;  // about a minute
double Comparisons(const AttentionShape& shape, std::int64_t heads) {
  const auto cells = static_cast<double>(shape.queries) * static_cast<double>(shape.keys);
  return 0.5 * static_cast<double>(heads) * static_cast<double>(heads) * cells;
}

Result<std::vector<std::int64_t>> CountsOf(const AttentionShape& shape,
                                           const SplitRequest& request) {
  const std::int64_t width = shape.heads * shape.head_dim;
  std::vector<std::int64_t> counts = request.head_counts;
  if (counts.empty()) {
    counts = DefaultHeadCounts(shape.heads, width, width);
    while (counts.back() > shape.heads && Comparisons(shape, counts.back()) > kMostComparisons) {
      counts.pop_back();
    }
  }
  for (const std::int64_t count : counts) {
    if (count < 1 || count > width) {
      return Fail(ErrorCode::kInput,
                  fmt::format("a layer of {} cannot be cut into {}; ask for 1 to {}",
                              Counted(width, "column"),
                              Counted(count, "head"),
                              width));
    }
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

Status CheckHeadDim(const SplitRequest& request, std::int64_t width) {
  if (!request.head_dim) {
    return {};
  }
  const bool fits =
      request.segments == SegmentKind::kRandom || request.segments == SegmentKind::kOverlapping;
  if (!fits) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("heads of {} segments have as many columns as there are for them; leave "
                    "the width of a head out, or ask for random or overlapping segments",
                    Name(request.segments)));
  }
  if (*request.head_dim < 1 || *request.head_dim > width) {
    return Fail(ErrorCode::kInput,
                fmt::format("a head of a layer of {} cannot have {}; ask for 1 to {}",
                            Counted(width, "column"),
                            *request.head_dim,
                            width));
  }
  return {};
}

// Returns a result in which nothing is cut yet.
Result<SplitResult> BeginSplit(const LayerAttention& layer, const SplitRequest& request) {
  const AttentionShape& shape = layer.shape();
  if (shape.value_dim != shape.head_dim) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("layer {} has values {} wide and keys {} wide; only layers where both "
                            "are equal can be cut again",
                            layer.layer(),
                            shape.value_dim,
                            shape.head_dim));
  }
  HEADSCOPE_TRY(auto counts, CountsOf(shape, request));
  HEADSCOPE_TRY(CheckHeadDim(request, shape.heads * shape.head_dim));
  SplitResult result;
  result.layer = layer.layer();
  result.trained_heads = shape.heads;
  const AttentionRule& rule = layer.rule();
  result.leaves_bias_out =
      rule.bias != nullptr || rule.positions != nullptr || rule.sinks != nullptr;
  result.request = request;
  result.planned = std::move(counts);
  return result;
}

}  // namespace

Result<SplitResult> SplitMaps(Backend* backend,
                              std::shared_ptr<const LayerAttention> layer,
                              const SplitRequest& request,
                              const std::stop_token& stop,
                              const SplitListener& listener) {
  CheckNotDrawing("cutting a layer");
  HEADSCOPE_TRY(auto result, BeginSplit(*layer, request));
  const std::int64_t width = layer->shape().heads * layer->shape().head_dim;
  const SplitSource source{
      .backend = backend, .output = nullptr, .costs = {}, .layer = std::move(layer)};
  for (const std::int64_t heads : result.planned) {
    HEADSCOPE_TRY(auto count, CutLayer(source, SegmentColumns(request, width, heads), stop));
    result.counts.push_back(std::move(count));
    if (listener) {
      listener(result);
    }
  }
  return result;
}

Result<SplitResult> SplitLayer(const SplitSource& whole,
                               const SplitRequest& request,
                               const std::stop_token& stop,
                               SplitProgress progress) {
  CheckNotDrawing("cutting a layer");
  const LayerAttention& layer = *whole.layer;
  const AttentionShape& shape = layer.shape();
  HEADSCOPE_TRY(auto result, BeginSplit(layer, request));
  const std::int64_t width = shape.heads * shape.head_dim;
  if (progress.listener && !progress.maps) {
    HEADSCOPE_TRY(progress.maps,
                  SplitMaps(whole.backend, whole.layer, request, stop, progress.listener));
  }
  if (progress.maps) {
    result.counts = std::move(progress.maps->counts);
  }
  SplitSource source = whole;
  std::vector<double> gram;
  if (width <= kMostKeptWidth) {
    HEADSCOPE_TRY(gram, GramOfOutput(source.backend, *source.output, stop));
    source.gram = gram;
  }
  result.all_columns = RankOfAllColumns(layer);
  // The trained output is the captured one, or made by the same cut.
  std::vector<float> trained = layer.content().attention_output;
  std::optional<SplitCount> trained_count;
  const bool is_contiguous = request.segments == SegmentKind::kContiguous;
  const bool is_captured = !trained.empty() && !result.leaves_bias_out;
  if (!is_captured || !is_contiguous) {
    HEADSCOPE_TRY(auto made, CutLayer(source, ContiguousColumns(width, shape.heads), stop));
    if (!is_captured) {
      trained = made.output;
    }
    if (is_contiguous) {
      trained_count = std::move(made);
    } else {
      result.contiguous_effective_heads = made.effective_heads;
    }
  }
  for (std::size_t at = 0; at < result.planned.size(); ++at) {
    const std::int64_t heads = result.planned[at];
    HEADSCOPE_TRY(auto count,
                  heads == shape.heads && trained_count
                      ? Result<SplitCount>(*std::exchange(trained_count, std::nullopt))
                      : CutLayer(source, SegmentColumns(request, width, heads), stop));
    count.output_difference = RelativeDifference<float>(count.output, trained);
    if (!request.keeps_outputs) {
      count.output = {};
    }
    if (at < result.counts.size()) {
      count.attention = result.counts[at].attention;  // a view that shows it keeps it
      result.counts[at] = std::move(count);
    } else {
      result.counts.push_back(std::move(count));
    }
    if (progress.listener) {
      progress.listener(result);
    }
  }
  if (request.weights == SplitWeights::kOnes) {
    HEADSCOPE_TRY(result.scales,
                  EqualWeightsAtScales(source.backend, layer, request, result.planned, stop));
    if (progress.listener) {
      progress.listener(result);
      const std::int64_t model_dim = std::ssize(trained) / shape.queries;
      HEADSCOPE_TRY(result.curves,
                    EqualCurvesOf(source.backend, layer, model_dim, request, result.planned, stop));
      progress.listener(result);
    }
  }
  return result;
}

}  // namespace headscope
