#include "core/headcount/split.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/counted.h"
#include "core/headcount/head_similarity.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostMapBytes = std::int64_t{1} << 30;
constexpr std::int64_t kDefaultMapBytes = std::int64_t{1} << 28;

constexpr double kShortRun = 250.0;  // milliseconds

std::int64_t Width(const AttentionShape& shape) {
  return shape.heads * shape.head_dim;
}

std::int64_t MapBytes(const AttentionShape& shape, std::int64_t heads) {
  return 4 * heads * shape.queries * shape.keys;
}

Result<std::vector<std::int64_t>> CountsOf(const AttentionShape& shape,
                                           const SplitRequest& request) {
  const std::int64_t width = Width(shape);
  std::vector<std::int64_t> counts = request.head_counts;
  const auto bytes = [&shape, &counts] {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) {
      sum += MapBytes(shape, count);
    }
    return sum;
  };
  if (counts.empty()) {
    counts = DefaultHeadCounts(shape.heads, width, width);
    while (counts.back() > shape.heads && bytes() > kDefaultMapBytes) {
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
  if (bytes() > kMostMapBytes) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("the maps of {} up to {} over {} take {:.1f} GiB, at most "
                    "{} GiB are made at once; ask for fewer heads or a shorter text",
                    Counted(counts.size(), "head count"),
                    counts.back(),
                    Counted(shape.keys, "token"),
                    static_cast<double>(bytes()) / static_cast<double>(std::int64_t{1} << 30),
                    kMostMapBytes >> 30));
  }
  return counts;
}

class MapCollector : public AttentionObserver {
 public:
  MapCollector(std::int64_t queries, std::int64_t keys, std::vector<float>* maps)
      : queries_(queries), keys_(keys), maps_(maps) {}

  void OnProjections(const AttentionShape&,
                     const AttentionRule&,
                     std::span<const float>,
                     std::span<const float>,
                     std::span<const float>) override {}

  void OnBlock(const AttentionBlock& block) override {
    const std::int64_t rows = block.query_end - block.query_begin;
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      std::copy_n(block.weights.data() + (head - block.head_begin) * rows * keys_,
                  rows * keys_,
                  maps_->data() + (head * queries_ + block.query_begin) * keys_);
    }
  }

 private:
  std::int64_t queries_;
  std::int64_t keys_;
  std::vector<float>* maps_;
};

class Splitter {
 public:
  Splitter(Backend* backend,
           const Linear& output,
           const LayerAttention& layer,
           std::stop_token stop)
      : backend_(*backend),
        output_(output),
        layer_(layer),
        shape_(layer.shape()),
        stop_(std::move(stop)) {}

  // Maps and output of one cut, and how long they took.
  Status Cut(SplitCount* count) {
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t heads = count->heads;
    std::int64_t widest = 0;
    for (const auto& own : count->columns) {
      widest = std::max(widest, static_cast<std::int64_t>(own.size()));
    }
    AttentionInput input;
    input.shape = {.queries = shape_.queries,
                   .keys = shape_.keys,
                   .heads = heads,
                   .kv_heads = heads,
                   .head_dim = widest,
                   .value_dim = widest};
    input.rule = layer_.rule();
    input.rule.bias = nullptr;  // it belongs to the trained heads
    const LayerAttention::Parts& parts = layer_.parts();
    auto queries = Gather(parts.queries, shape_.queries, shape_.heads, *count, widest, true);
    auto keys = Gather(parts.keys, shape_.keys, shape_.kv_heads, *count, widest, false);
    auto values = Gather(parts.values, shape_.keys, shape_.kv_heads, *count, widest, false);
    auto context = backend_.Make(shape_.queries, heads * widest);
    for (const auto* made : {&queries, &keys, &values, &context}) {
      if (!*made) {
        return PassOn(made->error());
      }
    }
    input.queries = queries->get();
    input.keys = keys->get();
    input.values = values->get();
    count->maps.resize(static_cast<std::size_t>(heads * shape_.queries * shape_.keys));
    MapCollector collector(shape_.queries, shape_.keys, &count->maps);
    HEADSCOPE_TRY(backend_.Attend(input, &collector, context->get(), stop_));
    HEADSCOPE_TRY(Project(**context, widest, count));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    count->milliseconds = took.count();
    return {};
  }

 private:
  // The columns of every head side by side, each padded with zeros to the widest; where keys and
  // values are grouped, repeated for every query head. Queries carry sqrt(head_dim / own width), so
  // that one scale serves all heads.
  Result<std::unique_ptr<Activations>> Gather(std::span<const float> source,
                                              std::int64_t rows,
                                              std::int64_t source_heads,
                                              const SplitCount& count,
                                              std::int64_t widest,
                                              bool scaled) {
    const std::int64_t group = shape_.heads / source_heads;
    const std::int64_t source_width = source_heads * shape_.head_dim;
    const std::int64_t width = count.heads * widest;
    std::vector<float> gathered(static_cast<std::size_t>(rows * width), 0.0F);
    for (std::int64_t head = 0; head < count.heads; ++head) {
      const auto& own = count.columns[static_cast<std::size_t>(head)];
      const double factor =
          scaled ? std::sqrt(static_cast<double>(shape_.head_dim) / static_cast<double>(own.size()))
                 : 1.0;
      for (std::size_t i = 0; i < own.size(); ++i) {
        const std::int64_t column =
            own[i] / shape_.head_dim / group * shape_.head_dim + own[i] % shape_.head_dim;
        const std::int64_t target = head * widest + static_cast<std::int64_t>(i);
        for (std::int64_t row = 0; row < rows; ++row) {
          gathered[static_cast<std::size_t>(row * width + target)] = static_cast<float>(
              factor *
              static_cast<double>(source[static_cast<std::size_t>(row * source_width + column)]));
        }
      }
    }
    auto made = backend_.Make(rows, width);
    if (made) {
      backend_.Load(gathered, made->get());
    }
    return made;
  }

  // What the heads found, each column divided by how many heads own it, through W_O.
  Status Project(const Activations& context, std::int64_t widest, SplitCount* count) {
    const std::int64_t width = Width(shape_);
    const std::int64_t stride = count->heads * widest;
    std::vector<float> found(static_cast<std::size_t>(shape_.queries * stride));
    backend_.Read(context, found);
    std::vector<int> owners(static_cast<std::size_t>(width), 0);
    for (const auto& own : count->columns) {
      for (const std::int32_t column : own) {
        ++owners[static_cast<std::size_t>(column)];
      }
    }
    count->unowned_columns = std::count(owners.begin(), owners.end(), 0);
    std::vector<float> joined(static_cast<std::size_t>(shape_.queries * width), 0.0F);
    for (std::int64_t row = 0; row < shape_.queries; ++row) {
      for (std::int64_t head = 0; head < count->heads; ++head) {
        const auto& own = count->columns[static_cast<std::size_t>(head)];
        const float* from = found.data() + row * stride + head * widest;
        for (std::size_t i = 0; i < own.size(); ++i) {
          const auto column = static_cast<std::size_t>(own[i]);
          joined[static_cast<std::size_t>(row * width) + column] +=
              from[i] / static_cast<float>(owners[column]);
        }
      }
    }
    const auto in = backend_.Make(shape_.queries, width);
    const auto out = backend_.Make(shape_.queries, output_.out());
    for (const auto* made : {&in, &out}) {
      if (!*made) {
        return PassOn(made->error());
      }
    }
    backend_.Load(joined, in->get());
    HEADSCOPE_TRY(backend_.Apply(output_, **in, out->get(), stop_));
    count->output.resize(static_cast<std::size_t>(shape_.queries * output_.out()));
    backend_.Read(**out, count->output);
    return {};
  }

  Backend& backend_;
  const Linear& output_;
  const LayerAttention& layer_;
  const AttentionShape& shape_;
  std::stop_token stop_;
};

double RelativeDifference(std::span<const float> own, std::span<const float> trained) {
  double apart = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double value = static_cast<double>(trained[i]);
    const double difference = static_cast<double>(own[i]) - value;
    apart += difference * difference;
    norm += value * value;
  }
  return apart > 0.0 ? std::sqrt(apart / norm) : 0.0;
}

// What there is to say about a cut, its maps and output made.
Status Describe(const LayerAttention& layer,
                const SplitCosts& costs,
                const std::stop_token& stop,
                SplitCount* count) {
  const AttentionShape& shape = layer.shape();
  count->parameters = costs.weights + costs.biases;
  count->multiplies = shape.queries * costs.weights + 2 * shape.queries * shape.keys * Width(shape);
  count->softmax_cells = count->heads * shape.queries * shape.keys;
  count->map_bytes = MapBytes(shape, count->heads);
  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  for (std::int64_t head = 0; head < count->heads; ++head) {
    const auto map =
        std::span<const float>(count->maps).subspan(static_cast<std::size_t>(head) * cells, cells);
    count->largest.push_back(LargestWhereSeveral(layer.rule(), 0, shape.keys, map));
  }
  const HeadMaps maps{
      .weights = count->maps, .heads = count->heads, .queries = shape.queries, .keys = shape.keys};
  const auto divergence = MeanDivergence(maps, layer.rule(), stop);
  if (!divergence) {
    return PassOn(divergence.error());
  }
  count->mean_divergence = *divergence;
  const auto effective = EffectiveHeads(maps, stop);
  if (!effective) {
    return PassOn(effective.error());
  }
  count->effective_heads = *effective;
  return {};
}

}  // namespace

Result<SplitResult> SplitLayer(Backend* backend,
                               const Linear& output,
                               const SplitCosts& costs,
                               const LayerAttention& layer,
                               const SplitRequest& request,
                               std::stop_token stop) {
  const AttentionShape& shape = layer.shape();
  if (shape.value_dim != shape.head_dim) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("layer {} has values {} wide and keys {} wide; only layers where both "
                            "are equal can be cut again",
                            layer.layer(),
                            shape.value_dim,
                            shape.head_dim));
  }
  HEADSCOPE_CHECK(output.in() == Width(shape), "the output projection belongs to the layer");
  const auto counts = CountsOf(shape, request);
  if (!counts) {
    return PassOn(counts.error());
  }
  Splitter splitter(backend, output, layer, stop);
  SplitResult result;
  result.layer = layer.layer();
  result.trained_heads = shape.heads;
  result.queries = shape.queries;
  result.keys = shape.keys;
  result.rule = layer.rule();
  result.rule.bias = nullptr;
  result.leaves_bias_out = layer.rule().bias != nullptr;
  for (const std::int64_t heads : *counts) {
    SplitCount count;
    count.heads = heads;
    count.columns = ContiguousColumns(Width(shape), heads);
    HEADSCOPE_TRY(splitter.Cut(&count));
    if (count.milliseconds < kShortRun) {
      // A first run also makes the backend's primitives; the second is the time of the work.
      HEADSCOPE_TRY(splitter.Cut(&count));
    }
    HEADSCOPE_TRY(Describe(layer, costs, stop, &count));
    result.counts.push_back(std::move(count));
  }
  // The trained output: as captured, or made by the same cut.
  std::vector<float> trained = layer.parts().attention_output;
  if (trained.empty() || result.leaves_bias_out) {
    SplitCount own;
    own.heads = shape.heads;
    own.columns = ContiguousColumns(Width(shape), shape.heads);
    const auto same = std::find(counts->begin(), counts->end(), shape.heads);
    if (same != counts->end()) {
      trained = result.counts[static_cast<std::size_t>(same - counts->begin())].output;
    } else {
      HEADSCOPE_TRY(splitter.Cut(&own));
      trained = std::move(own.output);
    }
  }
  for (SplitCount& count : result.counts) {
    count.output_difference = RelativeDifference(count.output, trained);
  }
  return result;
}

}  // namespace headscope
