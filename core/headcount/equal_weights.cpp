#include "core/headcount/equal_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "core/compute/rows.h"
#include "core/headcount/relative_difference.h"

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

// Every head is a map of one column: the scores of w equal columns are w times those of one.
Result<std::map<std::int64_t, OneHead>> HeadsAtScale(Backend* backend,
                                                     const LayerAttention& layer,
                                                     std::span<const double> sums,
                                                     const std::vector<std::int64_t>& widths,
                                                     double scale,
                                                     const std::stop_token& stop) {
  const AttentionShape& own = layer.shape();
  const std::int64_t heads = std::ssize(widths);
  AttentionInput input;
  input.shape = {.queries = own.queries,
                 .keys = own.keys,
                 .heads = heads,
                 .kv_heads = 1,
                 .head_dim = 1,
                 .value_dim = 1};
  input.rule = layer.rule();
  input.rule.scale = 1.0;
  std::vector<float> queries;
  std::vector<float> keys;
  for (const double sum : sums) {
    for (const std::int64_t width : widths) {
      const double factor =
          layer.rule().scale * std::sqrt(static_cast<double>(own.head_dim * width));
      queries.push_back(static_cast<float>(factor * scale * sum));
    }
    keys.push_back(static_cast<float>(scale * sum));
  }
  HEADSCOPE_TRY(const auto loaded_queries, MakeRows(backend, queries, heads));
  HEADSCOPE_TRY(const auto loaded_keys, MakeRows(backend, keys, 1));
  HEADSCOPE_TRY(const auto context, backend->Make(own.queries, heads));
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
  const Widths trained = SharesOf(ContiguousColumns(width, shape.heads), width);
  std::vector<std::pair<std::int64_t, Widths>> counts;
  std::vector<std::int64_t> widths;
  for (const std::int64_t heads : head_counts) {
    counts.emplace_back(heads, SharesOf(SegmentColumns(request, width, heads), width));
  }
  for (const auto& each : counts) {
    for (const auto& [own, of] : each.second) {
      widths.push_back(own);
    }
  }
  for (const auto& [own, of] : trained) {
    widths.push_back(own);
  }
  std::ranges::sort(widths);
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  for (const double scale : kScalesShown) {
    HEADSCOPE_TRY(const auto heads, HeadsAtScale(backend, layer, sums, widths, scale, stop));
    const std::vector<double> output = EqualOutputOf(trained, heads);
    SplitAtScale& at = all.emplace_back(SplitAtScale{.input_scale = scale, .counts = {}});
    for (const auto& [count, own] : counts) {
      CountAtScale told{
          .heads = count,
          .output_difference = RelativeDifference<double>(EqualOutputOf(own, heads), output)};
      for (const auto& [columns, of] : own) {
        told.largest_weight += heads.at(columns).largest_weight * static_cast<double>(of.heads) /
                               static_cast<double>(count);
      }
      at.counts.push_back(told);
    }
  }
  return all;
}

}  // namespace headscope
