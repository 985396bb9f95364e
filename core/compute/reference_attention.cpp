#include "core/compute/reference_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/compute/position_scores.h"

namespace headscope {
namespace {

// A row-major matrix of its own.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> cells;

  Matrix(std::int64_t rows_in, std::int64_t cols_in)
      : rows(rows_in), cols(cols_in), cells(static_cast<std::size_t>(rows_in * cols_in)) {}
  double* Row(std::int64_t row) { return cells.data() + row * cols; }
  const double* Row(std::int64_t row) const { return cells.data() + row * cols; }
};

// Columns [first, first + cols) of [rows, stride].
Matrix Columns(std::span<const double> all,
               std::int64_t rows,
               std::int64_t stride,
               std::int64_t first,
               std::int64_t cols) {
  Matrix part(rows, cols);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::copy_n(all.data() + row * stride + first, cols, part.Row(row));
  }
  return part;
}

double Cap(double score, double softcap) {
  return softcap > 0.0 ? softcap * std::tanh(score / softcap) : score;
}

// Applies the softmax to the visible keys of one row of scores, in place. The maximum is rounded to
// float32 first, because observers get that value to recompute the weights.
struct RowSummary {
  float max = -std::numeric_limits<float>::infinity();
  float inverse_sum = 0.0F;
};
RowSummary Softmax(const AttentionRule& rule,
                   std::int64_t head,
                   double* row,
                   std::int64_t first,
                   std::int64_t last,
                   std::int64_t keys) {
  std::fill(row, row + std::min(first, keys), 0.0);
  std::fill(row + std::max(std::min(first, keys), last), row + keys, 0.0);
  if (first >= last) {
    return {};
  }
  const auto max = static_cast<float>(*std::max_element(row + first, row + last));
  double sum = 0.0;
  for (std::int64_t key = first; key < last; ++key) {
    row[key] = std::exp(row[key] - static_cast<double>(max));
    sum += row[key];
  }
  if (rule.sinks != nullptr) {
    sum += std::exp(static_cast<double>((*rule.sinks)[static_cast<std::size_t>(head)]) -
                    static_cast<double>(max));
  }
  for (std::int64_t key = first; key < last; ++key) {
    row[key] /= sum;
  }
  return {max, static_cast<float>(1.0 / sum)};
}

// Computes softmax(cap(scale Q K^T)) of one head, a few query rows at a time, then times V.
class HeadWalk {
 public:
  HeadWalk(const ReferenceAttentionInput& input,
           AttentionObserver* observer,
           std::span<double> context,
           std::stop_token stop)
      : shape_(input.shape),
        rule_(input.rule),
        observer_(observer),
        context_(context),
        stop_(std::move(stop)) {}

  Status Run(std::int64_t head, const Matrix& queries, const double* keys, const double* values) {
    constexpr std::int64_t kRows = 16;
    for (std::int64_t begin = 0; begin < shape_.queries; begin += kRows) {
      HEADSCOPE_TRY(
          Block(head, begin, std::min(begin + kRows, shape_.queries), queries, keys, values));
    }
    return {};
  }

 private:
  Status Block(std::int64_t head,
               std::int64_t begin,
               std::int64_t end,
               const Matrix& queries,
               const double* keys,
               const double* values) {
    Matrix weights(end - begin, shape_.keys);
    std::vector<float> row_max;
    std::vector<float> row_inverse_sum;
    for (std::int64_t query = begin; query < end; ++query) {
      if (stop_.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "the attention was stopped");
      }
      const std::int64_t first = rule_.FirstVisible(query);
      const std::int64_t last = std::max<std::int64_t>(rule_.LastVisible(query, shape_.keys), 0);
      double* row = weights.Row(query - begin);
      Scores(queries.Row(query), keys, first, last, row);
      for (std::int64_t key = first; key < last; ++key) {
        row[key] += static_cast<double>(rule_.Bias(head, query, key)) +
                    PositionPart(head, query, key, queries.Row(query), keys);
      }
      const RowSummary summary = Softmax(rule_, head, row, first, last, shape_.keys);
      row_max.push_back(summary.max);
      row_inverse_sum.push_back(summary.inverse_sum);
      Context(row, values, head, query);
    }
    if (observer_ != nullptr) {
      const std::vector<float> rounded(weights.cells.begin(), weights.cells.end());
      observer_->OnBlock(AttentionBlock{.head_begin = head,
                                        .head_end = head + 1,
                                        .query_begin = begin,
                                        .query_end = end,
                                        .keys = shape_.keys,
                                        .weights = rounded,
                                        .row_max = row_max,
                                        .row_inverse_sum = row_inverse_sum});
    }
    return {};
  }

  void Scores(const double* query,
              const double* keys,
              std::int64_t first,
              std::int64_t last,
              double* row) const {
    for (std::int64_t key = first; key < last; ++key) {
      double dot = 0.0;
      for (std::int64_t i = 0; i < shape_.head_dim; ++i) {
        dot += query[i] * keys[key * shape_.head_dim + i];
      }
      row[key] = Cap(rule_.scale * dot, rule_.softcap);
    }
  }

  double PositionPart(std::int64_t head,
                      std::int64_t query,
                      std::int64_t key,
                      const double* query_row,
                      const double* keys) const {
    const auto columns = static_cast<std::size_t>(shape_.head_dim);
    const PositionScore score = PositionScoreOf(
        rule_, head, query, key, {query_row, columns}, {keys + key * shape_.head_dim, columns});
    return score.query_content + score.key_content;
  }

  void Context(const double* row, const double* values, std::int64_t head, std::int64_t query) {
    if (context_.empty()) {
      return;
    }
    double* out = context_.data() + (query * shape_.heads + head) * shape_.value_dim;
    std::fill_n(out, shape_.value_dim, 0.0);
    for (std::int64_t key = 0; key < shape_.keys; ++key) {
      for (std::int64_t i = 0; i < shape_.value_dim; ++i) {
        out[i] += row[key] * values[key * shape_.value_dim + i];
      }
    }
  }

  const AttentionShape& shape_;
  const AttentionRule& rule_;
  AttentionObserver* observer_;
  std::span<double> context_;
  std::stop_token stop_;
};

// Reorders [rows, heads width] to [heads, rows, width].
std::vector<double> HeadsFirst(std::span<const double> all,
                               std::int64_t rows,
                               std::int64_t heads,
                               std::int64_t width) {
  std::vector<double> out(all.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t head = 0; head < heads; ++head) {
      std::copy_n(all.data() + (row * heads + head) * width,
                  width,
                  out.data() + (head * rows + row) * width);
    }
  }
  return out;
}

Status PerHead(const ReferenceAttentionInput& input, HeadWalk* walk) {
  const AttentionShape& shape = input.shape;
  const std::int64_t group = shape.heads / shape.kv_heads;
  const std::int64_t width = shape.head_dim;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::int64_t kv = head / group;
    const Matrix q =
        Columns(input.queries, shape.queries, shape.heads * width, head * width, width);
    const Matrix k = Columns(input.keys, shape.keys, shape.kv_heads * width, kv * width, width);
    const Matrix v = Columns(input.values,
                             shape.keys,
                             shape.kv_heads * shape.value_dim,
                             kv * shape.value_dim,
                             shape.value_dim);
    HEADSCOPE_TRY(walk->Run(head, q, k.cells.data(), v.cells.data()));
  }
  return {};
}

Status Stacked(const ReferenceAttentionInput& input, HeadWalk* walk) {
  const AttentionShape& shape = input.shape;
  const std::int64_t group = shape.heads / shape.kv_heads;
  const auto queries = HeadsFirst(input.queries, shape.queries, shape.heads, shape.head_dim);
  const auto keys = HeadsFirst(input.keys, shape.keys, shape.kv_heads, shape.head_dim);
  const auto values = HeadsFirst(input.values, shape.keys, shape.kv_heads, shape.value_dim);
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::int64_t kv = head / group;
    const std::int64_t cells = shape.queries * shape.head_dim;
    const Matrix q = Columns(std::span(queries).subspan(static_cast<std::size_t>(head * cells),
                                                        static_cast<std::size_t>(cells)),
                             shape.queries,
                             shape.head_dim,
                             0,
                             shape.head_dim);
    HEADSCOPE_TRY(walk->Run(head,
                            q,
                            keys.data() + kv * shape.keys * shape.head_dim,
                            values.data() + kv * shape.keys * shape.value_dim));
  }
  return {};
}

}  // namespace

Status ReferenceAttend(ReferenceForm form,
                       const ReferenceAttentionInput& input,
                       AttentionObserver* observer,
                       std::span<double> context,
                       std::stop_token stop) {
  if (observer != nullptr) {
    const std::vector<float> queries(input.queries.begin(), input.queries.end());
    const std::vector<float> keys(input.keys.begin(), input.keys.end());
    const std::vector<float> values(input.values.begin(), input.values.end());
    observer->OnProjections({input.shape, input.rule, queries, keys, values});
  }
  HeadWalk walk(input, observer, context, std::move(stop));
  return form == ReferenceForm::kPerHead ? PerHead(input, &walk) : Stacked(input, &walk);
}

}  // namespace headscope
