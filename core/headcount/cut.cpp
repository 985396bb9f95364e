// CutLayer: blocks of query rows of all heads, one after another. Heads of the same width go
// through the backend side by side.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "core/attention/thumbnail_builder.h"
#include "core/base/check.h"
#include "core/compute/rows.h"
#include "core/headcount/head_similarity.h"
#include "core/headcount/split.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 23;  // over all heads
constexpr std::int64_t kRowsTogether = 64;                    // as many as the backend takes

constexpr double kShortRun = 250.0;  // milliseconds
constexpr std::size_t kFewRuns = 5;
constexpr std::size_t kMostRuns = 25;  // for times that are far apart

using Clock = std::chrono::steady_clock;

// Heads with the same number of columns, and what the backend reads of them.
struct WidthGroup {
  std::vector<std::int64_t> heads = {};
  AttentionInput input = {};
  std::unique_ptr<Activations> keys = {};
  std::unique_ptr<Activations> values = {};
};

// A block of rows of all heads.
struct RowBlock {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<float> weights = {};  // [h, rows, m]
  std::vector<float> row_max = {};  // [h, rows]
  std::vector<float> row_inverse_sum = {};

  [[nodiscard]] std::int64_t rows() const { return end - begin; }
};

// Copies what the backend makes of a group's heads to their places in the block.
class BlockCollector : public AttentionObserver {
 public:
  BlockCollector(const WidthGroup& group, RowBlock* block) : group_(group), block_(*block) {}

  void OnBlock(const AttentionBlock& made) override {
    const std::int64_t rows = made.query_end - made.query_begin;
    for (std::int64_t i = made.head_begin; i < made.head_end; ++i) {
      const std::int64_t from = (i - made.head_begin) * rows;
      const std::int64_t to =
          group_.heads[static_cast<std::size_t>(i)] * block_.rows() + made.query_begin;
      std::copy_n(made.weights.data() + from * made.keys,
                  rows * made.keys,
                  block_.weights.data() + to * made.keys);
      std::copy_n(made.row_max.data() + from, rows, block_.row_max.data() + to);
      std::copy_n(made.row_inverse_sum.data() + from, rows, block_.row_inverse_sum.data() + to);
    }
  }

 private:
  const WidthGroup& group_;
  RowBlock& block_;
};

class Cutter {
 public:
  Cutter(const SplitSource& source,
         const std::vector<std::vector<std::int32_t>>& columns,
         const std::stop_token& stop)
      : backend_(*source.backend),
        output_(source.output),
        layer_(*source.layer),
        shape_(layer_.shape()),
        columns_(columns),
        heads_(std::ssize(columns)),
        stop_(stop) {}

  // Every block is passed to `see`, whose time does not count.
  template <typename See>
  Status Run(SplitCount* count, const See& see) {
    const Clock::time_point begin = Clock::now();
    Clock::duration seeing{};
    std::map<std::int64_t, WidthGroup> groups;
    HEADSCOPE_TRY(MakeGroups(&groups));
    std::vector<int> owners(static_cast<std::size_t>(Width()), 0);
    for (const std::vector<std::int32_t>& own : columns_) {
      for (const std::int32_t column : own) {
        ++owners[static_cast<std::size_t>(column)];
      }
    }
    count->unowned_columns = std::count(owners.begin(), owners.end(), 0);
    std::vector<float> joined(static_cast<std::size_t>(shape_.queries * Width()), 0.0F);
    RowBlock block;
    for (; block.end < shape_.queries;) {
      block.begin = block.end;
      block.end = std::min(shape_.queries, block.begin + RowsAtOnce());
      block.weights.resize(static_cast<std::size_t>(heads_ * block.rows() * shape_.keys));
      block.row_max.resize(static_cast<std::size_t>(heads_ * block.rows()));
      block.row_inverse_sum.resize(block.row_max.size());
      for (auto& [width, group] : groups) {
        HEADSCOPE_TRY(Attend(&group, &block, owners, &joined));
      }
      const Clock::time_point made = Clock::now();
      HEADSCOPE_TRY(see(block));
      seeing += Clock::now() - made;
    }
    if (output_ != nullptr) {
      HEADSCOPE_TRY(Project(joined, count));
    }
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin - seeing;
    count->milliseconds = took.count();
    joined_ = std::move(joined);
    return {};
  }

  // What the heads of the last run found, [n, D].
  [[nodiscard]] std::span<const float> joined() const { return joined_; }

 private:
  [[nodiscard]] std::int64_t Width() const { return shape_.heads * shape_.head_dim; }

  [[nodiscard]] std::int64_t RowsAtOnce() const {
    const std::int64_t rows = std::max<std::int64_t>(1, kCellsAtOnce / (heads_ * shape_.keys));
    return rows < kRowsTogether ? rows : rows / kRowsTogether * kRowsTogether;
  }

  [[nodiscard]] const std::vector<std::int32_t>& ColumnsOf(std::int64_t head) const {
    return columns_[static_cast<std::size_t>(head)];
  }

  Status MakeGroups(std::map<std::int64_t, WidthGroup>* groups) {
    for (std::int64_t head = 0; head < heads_; ++head) {
      (*groups)[std::ssize(ColumnsOf(head))].heads.push_back(head);
    }
    for (auto& [width, group] : *groups) {
      const std::int64_t heads = std::ssize(group.heads);
      group.input.shape = {.queries = 0,
                           .keys = shape_.keys,
                           .heads = heads,
                           .kv_heads = heads,
                           .head_dim = width,
                           .value_dim = width};
      group.input.rule = layer_.rule();
      group.input.rule.bias = nullptr;   // it belongs to the trained heads
      group.input.rule.sinks = nullptr;  // likewise
      group.input.rule.positions = nullptr;
      group.input.rule.scale *=
          std::sqrt(static_cast<double>(shape_.head_dim) / static_cast<double>(width));
      const LayerAttention::Content& content = layer_.content();
      HEADSCOPE_TRY(auto keys, Gather(group, content.keys, shape_.kv_heads, 0, shape_.keys));
      // Maps need no values, but the backend multiplies by them anyway.
      HEADSCOPE_TRY(auto values,
                    Gather(group,
                           output_ != nullptr ? content.values : content.keys,
                           shape_.kv_heads,
                           0,
                           shape_.keys));
      group.keys = std::move(keys);
      group.values = std::move(values);
      group.input.keys = group.keys.get();
      group.input.values = group.values.get();
    }
    return {};
  }

  // Gathers the rows of each head's columns side by side; grouped keys and values are repeated for
  // every query head.
  Result<std::unique_ptr<Activations>> Gather(const WidthGroup& group,
                                              std::span<const float> source,
                                              std::int64_t source_heads,
                                              std::int64_t begin,
                                              std::int64_t end) {
    const std::int64_t shared_by = shape_.heads / source_heads;
    const std::int64_t source_width = source_heads * shape_.head_dim;
    std::vector<std::int64_t> from;
    for (const std::int64_t head : group.heads) {
      for (const std::int64_t column : ColumnsOf(head)) {
        from.push_back(column / shape_.head_dim / shared_by * shape_.head_dim +
                       column % shape_.head_dim);
      }
    }
    std::vector<float> gathered;
    gathered.reserve(static_cast<std::size_t>(end - begin) * from.size());
    for (std::int64_t row = begin; row < end; ++row) {
      const float* const values = source.data() + row * source_width;
      for (const std::int64_t column : from) {
        gathered.push_back(values[column]);
      }
    }
    return MakeRows(&backend_, gathered, std::ssize(from));
  }

  // Computes the block's rows of the group's heads; their output goes to `joined` [n, D], each
  // column divided by the number of heads that own it.
  Status Attend(WidthGroup* group,
                RowBlock* block,
                const std::vector<int>& owners,
                std::vector<float>* joined) {
    HEADSCOPE_TRY(auto queries,
                  Gather(*group, layer_.content().queries, shape_.heads, block->begin, block->end));
    AttentionInput input = group->input;
    input.queries = queries.get();
    input.shape.queries = block->rows();
    input.rule.offset += block->begin;
    const std::int64_t stride = input.shape.heads * input.shape.head_dim;
    HEADSCOPE_TRY(auto context, backend_.Make(block->rows(), stride));
    BlockCollector collector(*group, block);
    HEADSCOPE_TRY(backend_.Attend(input, &collector, context.get(), stop_));
    const std::vector<float> found = ReadRows(backend_, *context);
    const float* from = found.data();
    for (std::int64_t query = block->begin; query < block->end; ++query) {
      float* const to = joined->data() + query * Width();
      for (const std::int64_t head : group->heads) {
        for (const std::int32_t column : ColumnsOf(head)) {
          to[column] += *from++ / static_cast<float>(owners[static_cast<std::size_t>(column)]);
        }
      }
    }
    return {};
  }

  Status Project(const std::vector<float>& joined, SplitCount* count) {
    HEADSCOPE_TRY(const auto in, MakeRows(&backend_, joined, Width()));
    HEADSCOPE_TRY(count->output, Multiplied(&backend_, *output_, *in, stop_));
    return {};
  }

  Backend& backend_;
  const Linear* output_;
  const LayerAttention& layer_;
  const AttentionShape& shape_;
  const std::vector<std::vector<std::int32_t>>& columns_;
  std::int64_t heads_;
  std::vector<float> joined_;
  const std::stop_token& stop_;
};

// Returns the cut as a layer, with rows and thumbnails still to be filled in.
LayerAttention::Content ContentOfCut(std::shared_ptr<const LayerAttention> layer,
                                     std::vector<std::vector<std::int32_t>> columns) {
  std::size_t widest = 0;
  for (const std::vector<std::int32_t>& own : columns) {
    widest = std::max(widest, own.size());
  }
  LayerAttention::Content content;
  content.part = layer->part();
  content.layer = layer->layer();
  content.shape = {.queries = layer->shape().queries,
                   .keys = layer->shape().keys,
                   .heads = std::ssize(columns),
                   .kv_heads = std::ssize(columns),
                   .head_dim = static_cast<std::int64_t>(widest),
                   .value_dim = static_cast<std::int64_t>(widest)};
  content.rule = layer->rule();
  content.rule.bias = nullptr;
  content.rule.sinks = nullptr;
  content.rule.positions = nullptr;
  const auto rows = static_cast<std::size_t>(content.shape.heads * content.shape.queries);
  content.row_max.resize(rows);
  content.row_inverse_sum.resize(rows);
  content.cut = HeadCut{.source = std::move(layer), .columns = std::move(columns)};
  return content;
}

// Sets the median of the runs and the width of their middle half.
void TellTimes(std::vector<double> runs, SplitCount* count) {
  std::ranges::sort(runs);
  const std::size_t quarter = runs.size() / 4;
  count->milliseconds = runs[runs.size() / 2];
  count->milliseconds_apart = runs[runs.size() - 1 - quarter] - runs[quarter];
  count->timed_runs = std::ssize(runs);
}

// The first run also makes the backend's primitives; the later ones time only the work.
Status TimeRuns(Cutter* cutter, SplitCount* count) {
  std::vector<double> runs;
  double spent = 0.0;
  const auto goes_on = [&] {
    return runs.size() < kFewRuns || (runs.size() < kMostRuns && !count->IsTimeKnown());
  };
  while (runs.empty() || (spent < kShortRun && goes_on())) {
    HEADSCOPE_TRY(cutter->Run(count, [](const RowBlock&) { return Status(); }));
    runs.push_back(count->milliseconds);
    spent += runs.back();
    TellTimes(runs, count);
  }
  return {};
}

// A row's largest weight is 1 / sum exp(score - largest score). Returns the mean over heads and
// rows that see several keys.
double MeanLargestWeight(const LayerAttention::Content& content) {
  double sum = 0.0;
  std::int64_t rows = 0;
  for (std::int64_t query = 0; query < content.shape.queries; ++query) {
    if (content.rule.SeesSeveral(query, content.shape.keys)) {
      for (std::int64_t head = 0; head < content.shape.heads; ++head, ++rows) {
        sum += static_cast<double>(
            content
                .row_inverse_sum[static_cast<std::size_t>(head * content.shape.queries + query)]);
      }
    }
  }
  return rows > 0 ? sum / static_cast<double>(rows) : 1.0;
}

}  // namespace

Result<SplitCount> CutLayer(const SplitSource& source,
                            std::vector<std::vector<std::int32_t>> columns,
                            const std::stop_token& stop) {
  const AttentionShape& shape = source.layer->shape();
  const bool measures = source.output != nullptr;
  HEADSCOPE_CHECK(!measures || source.output->in() == shape.heads * shape.head_dim,
                  "the output projection belongs to the layer");
  LayerAttention::Content content = ContentOfCut(source.layer, std::move(columns));
  const std::int64_t heads = content.shape.heads;
  ThumbnailBuilder thumbnails(content.shape, content.rule, kThumbnailSize);
  HeadSimilarity similarity(heads, shape.keys, content.rule);
  Cutter cutter(source, content.cut->columns, stop);
  SplitCount count;
  HEADSCOPE_TRY(cutter.Run(&count, [&](const RowBlock& block) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t to = head * shape.queries + block.begin;
      std::copy_n(
          block.row_max.data() + head * block.rows(), block.rows(), content.row_max.data() + to);
      std::copy_n(block.row_inverse_sum.data() + head * block.rows(),
                  block.rows(),
                  content.row_inverse_sum.data() + to);
    }
    thumbnails.Add({.head_begin = 0,
                    .head_end = heads,
                    .query_begin = block.begin,
                    .query_end = block.end,
                    .keys = shape.keys,
                    .weights = block.weights,
                    .row_max = block.row_max,
                    .row_inverse_sum = block.row_inverse_sum});
    return measures ? similarity.Add(block.begin, block.weights, stop) : Status();
  }));
  count.timed_runs = measures ? 1 : 0;
  if (measures && count.milliseconds < kShortRun) {
    HEADSCOPE_TRY(TimeRuns(&cutter, &count));
  }
  std::int64_t owned = 0;
  for (const std::vector<std::int32_t>& own : content.cut->columns) {
    owned += std::ssize(own);
  }
  const std::int64_t products = 2 * shape.queries * shape.keys * owned;
  count.heads = heads;
  count.parameters = source.costs.All();
  count.multiplies = source.costs.Multiplies(shape.queries, shape.keys) + products;
  count.softmax_cells = heads * shape.queries * shape.keys;
  count.map_bytes = static_cast<std::int64_t>(sizeof(float)) * count.softmax_cells;
  count.largest_weight = MeanLargestWeight(content);
  count.is_measured = measures;
  if (measures) {
    count.mean_divergence = similarity.MeanDivergence();
    count.effective_heads = similarity.EffectiveHeads();
    if (!source.gram.empty() && heads <= kMostKeptHeads) {
      HEADSCOPE_TRY(
          count.kept,
          KeptHeadsOf(source.gram, cutter.joined(), count.output, content.cut->columns, stop));
    }
  }
  content.thumbnails = thumbnails.Take();
  count.attention = std::make_shared<const LayerAttention>(std::move(content));
  if (measures) {
    HEADSCOPE_TRY(count.ranks, RanksOf(*count.attention, stop));
  }
  return count;
}

}  // namespace headscope
