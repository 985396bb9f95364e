#include "core/compute/fused_attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <omp.h>

#include <fmt/format.h>

#include "core/compute/float_kernels.h"
#include "core/compute/onednn_engine.h"
#include "core/compute/position_scores.h"

namespace headscope {
namespace {

struct Block {
  std::int64_t head_begin = 0;
  std::int64_t head_end = 0;
  std::int64_t query_begin = 0;
  std::int64_t query_end = 0;
};

// Query rows and heads of a block: its weights fit the caches, and its products take a few
// milliseconds. The sizes depend only on the shape, and so does the result.
struct BlockSize {
  std::int64_t queries = 0;
  std::int64_t heads = 0;
  std::int64_t task_queries = 0;  // rows per task of one thread
};

BlockSize SizeOf(const AttentionShape& shape) {
  constexpr std::int64_t kMostCells = std::int64_t{1} << 20;
  constexpr std::int64_t kMostMultiplies = 250'000'000;
  constexpr std::int64_t kFewHeads = 8;
  BlockSize size;
  size.queries = shape.keys <= 4096 ? 64 : (shape.keys <= 16384 ? 32 : 16);
  const std::int64_t cells =
      std::min(kMostCells, kMostMultiplies / (shape.head_dim + shape.value_dim));
  const std::int64_t head_cells = size.queries * std::max<std::int64_t>(shape.keys, 1);
  size.heads = std::clamp<std::int64_t>(cells / head_cells, 1, shape.heads);
  size.task_queries = size.heads >= kFewHeads ? size.queries : 16;
  return size;
}

// Whether scores stay in double: sums of wider heads have more terms, and would cost more.
bool IsNarrow(const AttentionShape& shape) {
  constexpr std::int64_t kNarrowColumns = 16;
  return shape.head_dim <= kNarrowColumns;
}

enum class Outcome { kDone, kNoMemory, kNotFinite };

template <typename Number>
void CapAndBiasOf(const AttentionRule& rule,
                  std::int64_t head,
                  std::int64_t query,
                  std::int64_t first_key,
                  std::span<Number> scores) {
  const auto cap = static_cast<Number>(rule.softcap);
  for (Number& score : scores) {
    const Number capped = cap > 0 ? cap * std::tanh(score / cap) : score;
    score = capped + static_cast<Number>(rule.Bias(head, query, first_key++));
  }
}

// Rows of one head, and the keys that at least one of them sees.
struct Rows {
  std::int64_t head = 0;
  std::int64_t kv_head = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_key = 0;
  std::int64_t last_key = 0;
  std::int64_t place = 0;  // of the first row, among the block's rows
};

class BlockWork {
 public:
  BlockWork(const FusedAttentionInput& input,
            const Block& block,
            float* weights,
            double* scores,
            float* row_max,
            float* row_inverse_sum,
            float* context,
            bool observed)
      : shape_(input.shape),
        rule_(input.rule),
        input_(input),
        block_(block),
        weights_(weights),
        scores_(scores),
        row_max_(row_max),
        row_inverse_sum_(row_inverse_sum),
        context_(context),
        observed_(observed) {}

  // Computes rows [begin, end) of one head.
  Outcome Run(std::int64_t head, std::int64_t begin, std::int64_t end) const {
    const std::int64_t last = std::max<std::int64_t>(rule_.LastVisible(end - 1, shape_.keys), 0);
    const std::int64_t head_rows = block_.query_end - block_.query_begin;
    const Rows rows{.head = head,
                    .kv_head = head / (shape_.heads / shape_.kv_heads),
                    .begin = begin,
                    .end = end,
                    .first_key = std::min(rule_.FirstVisible(begin), last),
                    .last_key = last,
                    .place = (head - block_.head_begin) * head_rows + (begin - block_.query_begin)};
    const Outcome made = IsNarrow(shape_) ? NarrowWeights(rows) : WideWeights(rows);
    return made != Outcome::kDone || context_ == nullptr ? made : Context(rows);
  }

 private:
  // oneDNN multiplies, in float32.
  Outcome WideWeights(const Rows& rows) const {
    if (rows.first_key < rows.last_key) {
      const SmallProduct scores{.rows = rows.end - rows.begin,
                                .cols = rows.last_key - rows.first_key,
                                .in = shape_.head_dim,
                                .alpha = static_cast<float>(rule_.scale),
                                .a = Query(rows, rows.begin),
                                .a_stride = shape_.heads * shape_.head_dim,
                                .b = FirstKey(rows),
                                .b_stride = shape_.kv_heads * shape_.head_dim,
                                .b_transposed = true,
                                .c = weights_ + rows.place * shape_.keys + rows.first_key,
                                .c_stride = shape_.keys};
      if (!Multiply(scores)) {
        return Outcome::kNoMemory;
      }
    }
    for (std::int64_t query = rows.begin; query < rows.end; ++query) {
      const auto softmax = [&](float* weights, std::int64_t key, std::int64_t count) {
        if (BiasesScores(rule_)) {
          CapAndBias(rule_, rows.head, query, key, {weights, static_cast<std::size_t>(count)});
        }
        AddPositions(rows, query, key, std::span(weights, static_cast<std::size_t>(count)));
        return Kernels().softmax(
            weights, count, BiasesScores(rule_) ? 0.0F : static_cast<float>(rule_.softcap));
      };
      if (!Row(rows, query, softmax)) {
        return Outcome::kNotFinite;
      }
    }
    return Outcome::kDone;
  }

  // Scores stay in double until the largest is subtracted: a narrow head's sums have few terms, so
  // rounding its scores would be most of the error of its weights.
  Outcome NarrowWeights(const Rows& rows) const {
    double* scores = scores_ + omp_get_thread_num() * ScoresInDouble::kMostRows * shape_.keys;
    for (std::int64_t query = rows.begin; query < rows.end; ++query) {
      const std::int64_t at = (query - rows.begin) % ScoresInDouble::kMostRows;
      if (at == 0) {
        Kernels().scores_in_double({.rows = std::min(ScoresInDouble::kMostRows, rows.end - query),
                                    .keys = rows.last_key - rows.first_key,
                                    .columns = shape_.head_dim,
                                    .scale = rule_.scale,
                                    .query = Query(rows, query),
                                    .query_stride = shape_.heads * shape_.head_dim,
                                    .key = FirstKey(rows),
                                    .key_stride = shape_.kv_heads * shape_.head_dim,
                                    .out = scores + rows.first_key,
                                    .out_stride = shape_.keys});
      }
      const auto softmax = [&](float* weights, std::int64_t key, std::int64_t count) {
        double* own = scores + at * shape_.keys + key;
        if (rule_.bias != nullptr || rule_.softcap > 0.0) {
          CapAndBiasOf(
              rule_, rows.head, query, key, std::span(own, static_cast<std::size_t>(count)));
        }
        AddPositions(rows, query, key, std::span(own, static_cast<std::size_t>(count)));
        return Kernels().softmax_of_doubles(own, weights, count);
      };
      if (!Row(rows, query, softmax)) {
        return Outcome::kNotFinite;
      }
    }
    return Outcome::kDone;
  }

  // Fills a row with zeros where it sees nothing and with the result of `softmax` elsewhere;
  // returns false if that is not finite.
  template <typename Softmax>
  bool Row(const Rows& rows, std::int64_t query, const Softmax& softmax) const {
    const std::int64_t first = rows.first_key;
    const std::int64_t row = rows.place + (query - rows.begin);
    float* weights = weights_ + row * shape_.keys;
    const std::int64_t row_last = std::max(rule_.LastVisible(query, shape_.keys), first);
    const std::int64_t row_first = std::clamp(rule_.FirstVisible(query), first, row_last);
    std::fill(weights + (observed_ ? 0 : first), weights + row_first, 0.0F);
    std::fill(weights + row_last, weights + (observed_ ? shape_.keys : rows.last_key), 0.0F);
    if (row_first == row_last) {
      row_max_[row] = -std::numeric_limits<float>::infinity();
      row_inverse_sum_[row] = 0.0F;
      return true;
    }
    const SoftmaxSummary summary = softmax(weights + row_first, row_first, row_last - row_first);
    row_max_[row] = summary.max;
    row_inverse_sum_[row] = summary.inverse_sum;
    if (rule_.sinks != nullptr && summary.inverse_sum > 0.0F) {
      const auto share =
          static_cast<float>(rule_.ShareOfKeys(rows.head,
                                               static_cast<double>(summary.max),
                                               1.0 / static_cast<double>(summary.inverse_sum)));
      Kernels().scale(share, weights + row_first, row_last - row_first);
      row_inverse_sum_[row] *= share;
    }
    return summary.inverse_sum > 0.0F;
  }

  Outcome Context(const Rows& rows) const {
    float* out = context_ + (rows.begin * shape_.heads + rows.head) * shape_.value_dim;
    const std::int64_t stride = shape_.heads * shape_.value_dim;
    if (rows.first_key == rows.last_key) {
      for (std::int64_t query = rows.begin; query < rows.end; ++query, out += stride) {
        std::fill_n(out, shape_.value_dim, 0.0F);
      }
      return Outcome::kDone;
    }
    const SmallProduct product{
        .rows = rows.end - rows.begin,
        .cols = shape_.value_dim,
        .in = rows.last_key - rows.first_key,
        .a = weights_ + rows.place * shape_.keys + rows.first_key,
        .a_stride = shape_.keys,
        .b = input_.values + (rows.first_key * shape_.kv_heads + rows.kv_head) * shape_.value_dim,
        .b_stride = shape_.kv_heads * shape_.value_dim,
        .c = out,
        .c_stride = stride};
    return Multiply(product) ? Outcome::kDone : Outcome::kNoMemory;
  }

  template <typename Number>
  void AddPositions(const Rows& rows,
                    std::int64_t query,
                    std::int64_t first_key,
                    std::span<Number> scores) const {
    if (rule_.positions == nullptr) {
      return;
    }
    const std::int64_t stride = shape_.kv_heads * shape_.head_dim;
    const KeyRows keys{.data = FirstKey(rows) + (first_key - rows.first_key) * stride,
                       .stride = stride,
                       .first = first_key};
    AddPositionScores(rule_, rows.head, query, Query(rows, query), keys, scores);
  }

  [[nodiscard]] const float* Query(const Rows& rows, std::int64_t query) const {
    return input_.queries + (query * shape_.heads + rows.head) * shape_.head_dim;
  }
  [[nodiscard]] const float* FirstKey(const Rows& rows) const {
    return input_.keys + (rows.first_key * shape_.kv_heads + rows.kv_head) * shape_.head_dim;
  }

  const AttentionShape& shape_;
  const AttentionRule& rule_;
  const FusedAttentionInput& input_;
  Block block_;
  float* weights_;
  double* scores_;  // [threads, ScoresInDouble::kMostRows, keys]
  float* row_max_;
  float* row_inverse_sum_;
  float* context_;
  bool observed_;  // an observer sees the masked cells
};

// Runs the block's tasks, each on one thread, and returns the worst outcome.
Outcome RunTasks(const BlockWork& work, const Block& block, std::int64_t task_queries) {
  const std::int64_t heads = block.head_end - block.head_begin;
  const std::int64_t parts =
      (block.query_end - block.query_begin + task_queries - 1) / task_queries;
  std::atomic<Outcome> worst = Outcome::kDone;
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(work, block, task_queries, heads, parts, worst)
  for (std::int64_t task = 0; task < heads * parts; ++task) {
    const std::int64_t begin = block.query_begin + task % parts * task_queries;
    const Outcome outcome = work.Run(
        block.head_begin + task / parts, begin, std::min(begin + task_queries, block.query_end));
    if (outcome != Outcome::kDone) {
      worst = outcome;
    }
  }
  return worst;
}

std::span<const float> Span(const float* data, std::int64_t count) {
  return {data, static_cast<std::size_t>(count)};
}

}  // namespace

void CapAndBias(const AttentionRule& rule,
                std::int64_t head,
                std::int64_t query,
                std::int64_t first_key,
                std::span<float> scores) {
  CapAndBiasOf(rule, head, query, first_key, scores);
}

Status FusedAttention::Run(const FusedAttentionInput& input,
                           AttentionObserver* observer,
                           float* context,
                           const std::stop_token& stop) {
  const AttentionShape& shape = input.shape;
  const BlockSize size = SizeOf(shape);
  const auto rows = static_cast<std::size_t>(size.heads * size.queries);
  const std::size_t cells = rows * static_cast<std::size_t>(shape.keys);
  try {
    if (weights_->size() < cells) {
      weights_ = std::make_unique<FloatBuffer>(cells);
    }
    if (IsNarrow(shape)) {
      const auto scores = ScoresInDouble::kMostRows * shape.keys * omp_get_max_threads();
      scores_.resize(std::max(scores_.size(), static_cast<std::size_t>(scores)));
    }
    row_max_.resize(std::max(row_max_.size(), rows));
    row_inverse_sum_.resize(std::max(row_inverse_sum_.size(), rows));
  } catch (const std::bad_alloc&) {
    return Fail(
        ErrorCode::kOutOfMemory,
        fmt::format("no memory for the attention of {} keys; use a shorter text", shape.keys));
  }
  if (observer != nullptr) {
    observer->OnProjections(
        {.shape = shape,
         .rule = input.rule,
         .queries = Span(input.queries, shape.queries * shape.heads * shape.head_dim),
         .keys = Span(input.keys, shape.keys * shape.kv_heads * shape.head_dim),
         .values = Span(input.values, shape.keys * shape.kv_heads * shape.value_dim)});
  }
  for (std::int64_t query = 0; query < shape.queries; query += size.queries) {
    for (std::int64_t head = 0; head < shape.heads; head += size.heads) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "the attention was stopped");
      }
      const Block block{.head_begin = head,
                        .head_end = std::min(head + size.heads, shape.heads),
                        .query_begin = query,
                        .query_end = std::min(query + size.queries, shape.queries)};
      const BlockWork work(input,
                           block,
                           weights_->data(),
                           scores_.data(),
                           row_max_.data(),
                           row_inverse_sum_.data(),
                           context,
                           observer != nullptr);
      const Outcome outcome = RunTasks(work, block, size.task_queries);
      if (outcome == Outcome::kNoMemory) {
        return Fail(ErrorCode::kOutOfMemory, "no memory for a product of the attention");
      }
      if (outcome == Outcome::kNotFinite) {
        return Fail(
            ErrorCode::kNumeric,
            fmt::format(
                "attention scores of queries {} to {} are not finite numbers; the weights before "
                "this layer, or the embeddings given, are damaged or too large for float32",
                input.rule.offset + block.query_begin,
                input.rule.offset + block.query_end - 1));
      }
      if (observer != nullptr) {
        const std::int64_t block_rows =
            (block.head_end - block.head_begin) * (block.query_end - block.query_begin);
        observer->OnBlock(
            AttentionBlock{.head_begin = block.head_begin,
                           .head_end = block.head_end,
                           .query_begin = block.query_begin,
                           .query_end = block.query_end,
                           .keys = shape.keys,
                           .weights = Span(weights_->data(), block_rows * shape.keys),
                           .row_max = Span(row_max_.data(), block_rows),
                           .row_inverse_sum = Span(row_inverse_sum_.data(), block_rows)});
      }
    }
  }
  return {};
}

}  // namespace headscope
