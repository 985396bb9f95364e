#include "core/headcount/equal_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "core/compute/rows.h"
#include "core/headcount/relative_difference.h"
#include "core/headcount/remade_layer.h"

namespace headscope {
namespace {

using ColumnSets = std::vector<std::vector<std::int32_t>>;

// The heads of one count that have the same number of columns.
struct Width {
  std::int64_t heads = 0;
  double share = 0.0;  // of the output's columns that these heads make
};
using Widths = std::map<std::int64_t, Width>;

Widths SharesOf(const ColumnSets& columns, std::int64_t width) {
  std::vector<int> owners(static_cast<std::size_t>(width), 0);
  for (const auto& own : columns) {
    for (const std::int32_t column : own) {
      ++owners[static_cast<std::size_t>(column)];
    }
  }
  Widths widths;
  for (const auto& own : columns) {
    Width& of = widths[std::ssize(own)];
    ++of.heads;
    for (const std::int32_t column : own) {
      of.share += 1.0 / owners[static_cast<std::size_t>(column)];
    }
  }
  return widths;
}

// What a head with a given number of columns sees and finds.
struct OneHead {
  std::vector<float> found;  // [n]: any one of its value columns, weighted (all are equal)
  double largest_weight = 1.0;
};

// A row's largest weight is 1 / sum exp(score - largest score).
class LargestWeights : public AttentionObserver {
 public:
  LargestWeights(const AttentionShape& shape, const AttentionRule& rule)
      : shape_(shape), rule_(rule), sums_(static_cast<std::size_t>(shape.heads), 0.0) {
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      rows_ += rule.SeesSeveral(query, shape.keys) ? 1 : 0;
    }
  }

  void OnBlock(const AttentionBlock& block) override {
    std::size_t at = 0;
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      for (std::int64_t query = block.query_begin; query < block.query_end; ++query, ++at) {
        if (rule_.SeesSeveral(query, shape_.keys)) {
          sums_[static_cast<std::size_t>(head)] += static_cast<double>(block.row_inverse_sum[at]);
        }
      }
    }
  }

  [[nodiscard]] double MeanOf(std::size_t head) const {
    return rows_ > 0 ? sums_[head] / static_cast<double>(rows_) : 1.0;
  }

 private:
  AttentionShape shape_;
  AttentionRule rule_;
  std::vector<double> sums_;
  std::int64_t rows_ = 0;
};

// The cuts of a layer: what of them the formula needs.
struct EqualCuts {
  Widths trained;
  std::vector<std::pair<std::int64_t, Widths>> counts;
  std::vector<std::int64_t> widths;  // of all of them
  std::int64_t head_dim = 0;         // of the trained heads
  AttentionRule rule;
};

EqualCuts CutsOf(const LayerAttention& layer,
                 const SplitRequest& request,
                 std::span<const std::int64_t> head_counts) {
  const AttentionShape& shape = layer.shape();
  const std::int64_t width = shape.heads * shape.head_dim;
  EqualCuts cuts{.trained = SharesOf(ContiguousColumns(width, shape.heads), width),
                 .counts = {},
                 .widths = {},
                 .head_dim = shape.head_dim,
                 .rule = layer.rule()};
  for (const std::int64_t heads : head_counts) {
    cuts.counts.emplace_back(heads, SharesOf(SegmentColumns(request, width, heads), width));
    for (const auto& [own, of] : cuts.counts.back().second) {
      cuts.widths.push_back(own);
    }
  }
  for (const auto& [own, of] : cuts.trained) {
    cuts.widths.push_back(own);
  }
  std::ranges::sort(cuts.widths);
  cuts.widths.erase(std::unique(cuts.widths.begin(), cuts.widths.end()), cuts.widths.end());
  return cuts;
}

// Every head is a map of one column: the scores of w equal columns are w times those of one.
Result<std::map<std::int64_t, OneHead>> HeadsAtScale(Backend* backend,
                                                     const EqualCuts& cuts,
                                                     std::span<const double> sums,
                                                     double scale,
                                                     const std::stop_token& stop) {
  const std::vector<std::int64_t>& widths = cuts.widths;
  const std::int64_t heads = std::ssize(widths);
  const std::int64_t rows = std::ssize(sums);
  AttentionInput input;
  input.shape = {
      .queries = rows, .keys = rows, .heads = heads, .kv_heads = 1, .head_dim = 1, .value_dim = 1};
  input.rule = cuts.rule;
  input.rule.scale = 1.0;
  std::vector<float> queries;
  std::vector<float> keys;
  for (const double sum : sums) {
    for (const std::int64_t width : widths) {
      const double factor = cuts.rule.scale * std::sqrt(static_cast<double>(cuts.head_dim * width));
      queries.push_back(static_cast<float>(factor * scale * sum));
    }
    keys.push_back(static_cast<float>(scale * sum));
  }
  HEADSCOPE_TRY(const auto loaded_queries, MakeRows(backend, queries, heads));
  HEADSCOPE_TRY(const auto loaded_keys, MakeRows(backend, keys, 1));
  HEADSCOPE_TRY(const auto context, backend->Make(rows, heads));
  input.queries = loaded_queries.get();
  input.keys = loaded_keys.get();
  input.values = loaded_keys.get();
  LargestWeights largest(input.shape, input.rule);
  HEADSCOPE_TRY(backend->Attend(input, &largest, context.get(), stop));
  const std::vector<float> found = ReadRows(*backend, *context);
  std::map<std::int64_t, OneHead> made;
  for (std::size_t at = 0; at < widths.size(); ++at) {
    OneHead& one = made[widths[at]];
    one.largest_weight = largest.MeanOf(at);
    for (std::size_t row = 0; row < sums.size(); ++row) {
      one.found.push_back(found[row * widths.size() + at]);
    }
  }
  return made;
}

// Returns one number for each row of the output, whose columns are all equal.
std::vector<double> EqualOutputOf(const Widths& widths,
                                  const std::map<std::int64_t, OneHead>& heads) {
  std::vector<double> output(heads.begin()->second.found.size(), 0.0);
  for (const auto& [width, of] : widths) {
    const OneHead& head = heads.at(width);
    for (std::size_t row = 0; row < output.size(); ++row) {
      output[row] += of.share * static_cast<double>(head.found[row]);
    }
  }
  return output;
}

Result<SplitAtScale> CountsAtScale(Backend* backend,
                                   const EqualCuts& cuts,
                                   std::span<const double> sums,
                                   double scale,
                                   const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto heads, HeadsAtScale(backend, cuts, sums, scale, stop));
  const std::vector<double> output = EqualOutputOf(cuts.trained, heads);
  SplitAtScale at{.input_scale = scale, .counts = {}};
  for (const auto& [count, own] : cuts.counts) {
    CountAtScale told{
        .heads = count,
        .output_difference = RelativeDifference<double>(EqualOutputOf(own, heads), output)};
    for (const auto& [columns, of] : own) {
      told.largest_weight += heads.at(columns).largest_weight * static_cast<double>(of.heads) /
                             static_cast<double>(count);
    }
    at.counts.push_back(told);
  }
  return at;
}

// Each row's sum, which is all that weights of 1 make of it.
std::vector<std::vector<double>> DrawSums(const SplitRequest& request,
                                          std::int64_t rows,
                                          std::int64_t model_dim) {
  std::vector<std::vector<double>> draws;
  SplitRequest draw = request;
  draw.input_scale = 1.0;
  for (std::uint64_t i = 0; i < kCurveDraws; ++i) {
    draw.seed = request.seed + i;
    const std::vector<float> input = NormalInput(draw, rows, model_dim);
    std::vector<double>& sums = draws.emplace_back();
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto begin = input.begin() + row * model_dim;
      sums.push_back(std::accumulate(begin, begin + model_dim, 0.0));
    }
  }
  return draws;
}

EqualCurve CurveOf(double scale, std::span<const SplitAtScale> draws) {
  EqualCurve curve{.input_scale = scale, .largest_weight = 0.0, .counts = {}};
  const auto many = static_cast<double>(draws.size());
  for (std::size_t at = 0; at < draws.front().counts.size(); ++at) {
    EqualCurvePoint point{.heads = draws.front().counts[at].heads};
    double squares = 0.0;
    for (const SplitAtScale& draw : draws) {
      const CountAtScale& count = draw.counts[at];
      point.mean += count.output_difference / many;
      squares += count.output_difference * count.output_difference;
      curve.largest_weight += count.largest_weight / many / static_cast<double>(draw.counts.size());
    }
    const double above = squares - many * point.mean * point.mean;
    point.spread = std::sqrt(std::max(0.0, above) / (many - 1.0));
    curve.counts.push_back(point);
  }
  return curve;
}

}  // namespace

Result<std::vector<SplitAtScale>> EqualWeightsAtScales(Backend* backend,
                                                       const LayerAttention& layer,
                                                       const SplitRequest& request,
                                                       std::span<const std::int64_t> head_counts,
                                                       const std::stop_token& stop) {
  std::vector<SplitAtScale> all;
  if (request.input_scale == 0.0) {
    return all;
  }
  const AttentionShape& shape = layer.shape();
  const std::int64_t width = shape.heads * shape.head_dim;
  std::vector<double> sums;
  for (std::int64_t row = 0; row < shape.queries; ++row) {
    const float sum = layer.content().queries[static_cast<std::size_t>(row * width)];
    sums.push_back(static_cast<double>(sum) / request.input_scale);
  }
  const EqualCuts cuts = CutsOf(layer, request, head_counts);
  for (const double scale : kScalesShown) {
    HEADSCOPE_TRY(auto at, CountsAtScale(backend, cuts, sums, scale, stop));
    all.push_back(std::move(at));
  }
  return all;
}

Result<EqualCurves> EqualCurvesOf(Backend* backend,
                                  const LayerAttention& layer,
                                  std::int64_t model_dim,
                                  const SplitRequest& request,
                                  std::span<const std::int64_t> head_counts,
                                  const std::stop_token& stop) {
  EqualCuts cuts = CutsOf(layer, request, head_counts);
  cuts.rule = {.scale = cuts.rule.scale, .causal = cuts.rule.causal};
  EqualCurves curves{.rows = std::min(layer.shape().queries, kMostCurveRows), .scales = {}};
  const auto draws = DrawSums(request, curves.rows, model_dim);
  constexpr int kSteps = 25;
  constexpr double kTenfold = 5.0;
  for (int step = 0; step <= kSteps; ++step) {
    const double scale = std::pow(10.0, static_cast<double>(step) / kTenfold - 4.0);
    std::vector<SplitAtScale> found;
    for (const std::vector<double>& sums : draws) {
      HEADSCOPE_TRY(auto at, CountsAtScale(backend, cuts, sums, scale, stop));
      found.push_back(std::move(at));
    }
    curves.scales.push_back(CurveOf(scale, found));
  }
  return curves;
}

}  // namespace headscope
