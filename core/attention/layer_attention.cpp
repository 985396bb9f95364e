#include "core/attention/layer_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/half.h"

namespace headscope {
namespace {

// Keys side by side, so that the dot products of one query with all of them advance together.
constexpr std::int64_t kLanes = 8;

double Capped(double score, double softcap) {
  return softcap > 0.0 ? softcap * std::tanh(score / softcap) : score;
}

// Keys [begin, end) of one head in double, as [groups of kLanes, head_dim, kLanes], zeros at the
// end.
class KeyLanes {
 public:
  KeyLanes(const LayerAttention::Parts& parts,
           std::int64_t head,
           std::int64_t begin,
           std::int64_t end)
      : head_dim_(parts.shape.head_dim) {
    const AttentionShape& shape = parts.shape;
    const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
    groups_ = (end - begin + kLanes - 1) / kLanes;
    cells_.resize(static_cast<std::size_t>(groups_ * head_dim_ * kLanes));
    for (std::int64_t key = begin; key < end; ++key) {
      const float* from = parts.keys.data() + (key * shape.kv_heads + kv_head) * head_dim_;
      double* to = cells_.data() + (key - begin) / kLanes * head_dim_ * kLanes;
      for (std::int64_t i = 0; i < head_dim_; ++i) {
        to[i * kLanes + (key - begin) % kLanes] = static_cast<double>(from[i]);
      }
    }
  }

  [[nodiscard]] std::int64_t padded() const { return groups_ * kLanes; }

  // q . k with the first `count` keys, rounded up to whole groups; out holds padded() numbers.
  void DotProducts(const float* query, std::int64_t count, double* out) const {
    const double* keys = cells_.data();
    for (std::int64_t first = 0; first < count; first += kLanes) {
      std::array<double, kLanes> sum = {};
      for (std::int64_t i = 0; i < head_dim_; ++i) {
        const auto factor = static_cast<double>(query[i]);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          sum[lane] += factor * keys[lane];
        }
        keys += kLanes;
      }
      std::copy(sum.begin(), sum.end(), out + first);
    }
  }

 private:
  std::int64_t head_dim_;
  std::int64_t groups_ = 0;
  std::vector<double> cells_;
};

// exp(score - largest) / sum over the row's visible keys.
void Softmax(double* scores, std::int64_t count, float* out) {
  const double largest = *std::max_element(scores, scores + count);
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    scores[i] = std::exp(scores[i] - largest);
    sum += scores[i];
  }
  const double inverse = 1.0 / sum;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(scores[i] * inverse);
  }
}

bool HasSize(const std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
  return values.size() == static_cast<std::size_t>(rows * cols);
}

}  // namespace

LayerAttention::LayerAttention(Parts parts) : parts_(std::move(parts)) {
  const AttentionShape& shape = parts_.shape;
  if (parts_.given) {
    const std::vector<std::int64_t> expected = {shape.heads, shape.queries, shape.keys};
    HEADSCOPE_CHECK(
        parts_.given->weights.shape == expected && IsFloatingPoint(parts_.given->weights.type),
        "given weights are numbers [H, n, m]");
    return;
  }
  HEADSCOPE_CHECK(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0,
                  "heads share keys evenly");
  HEADSCOPE_CHECK(HasSize(parts_.queries, shape.queries, shape.heads * shape.head_dim),
                  "queries are [n, H dk]");
  HEADSCOPE_CHECK(HasSize(parts_.keys, shape.keys, shape.kv_heads * shape.head_dim),
                  "keys are [m, Hkv dk]");
  HEADSCOPE_CHECK(
      parts_.values.empty() || HasSize(parts_.values, shape.keys, shape.kv_heads * shape.value_dim),
      "values are [m, Hkv dv]");
}

const Thumbnail& LayerAttention::thumbnail(std::int64_t head) const {
  HEADSCOPE_CHECK(head >= 0 && head < static_cast<std::int64_t>(parts_.thumbnails.size()),
                  "the head has a thumbnail");
  return parts_.thumbnails[static_cast<std::size_t>(head)];
}

bool LayerAttention::Visible(std::int64_t query, std::int64_t key) const {
  return key >= parts_.rule.FirstVisible(query) &&
         key < parts_.rule.LastVisible(query, parts_.shape.keys);
}

double LayerAttention::DotProduct(std::int64_t head, std::int64_t query, std::int64_t key) const {
  const AttentionShape& shape = parts_.shape;
  HEADSCOPE_CHECK(has_scores(), "given weights have no dot products");
  HEADSCOPE_CHECK(head >= 0 && head < shape.heads && query >= 0 && query < shape.queries &&
                      key >= 0 && key < shape.keys,
                  "the cell lies within the map");
  const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
  const float* q = parts_.queries.data() + (query * shape.heads + head) * shape.head_dim;
  const float* k = parts_.keys.data() + (key * shape.kv_heads + kv_head) * shape.head_dim;
  double sum = 0.0;
  for (std::int64_t i = 0; i < shape.head_dim; ++i) {
    sum += static_cast<double>(q[i]) * static_cast<double>(k[i]);
  }
  return sum;
}

double LayerAttention::Score(std::int64_t head, std::int64_t query, std::int64_t key) const {
  if (!Visible(query, key)) {
    return -std::numeric_limits<double>::infinity();
  }
  const AttentionRule& rule = parts_.rule;
  return Capped(rule.scale * DotProduct(head, query, key), rule.softcap) +
         static_cast<double>(rule.Bias(head, query, key));
}

void LayerAttention::Row(std::int64_t head, std::int64_t query, std::span<float> out) const {
  Rows(head, query, query + 1, out);
}

void LayerAttention::Rows(std::int64_t head,
                          std::int64_t query_begin,
                          std::int64_t query_end,
                          std::span<float> out) const {
  const AttentionShape& shape = parts_.shape;
  const AttentionRule& rule = parts_.rule;
  HEADSCOPE_CHECK(head >= 0 && head < shape.heads && query_begin >= 0 && query_begin <= query_end &&
                      query_end <= shape.queries,
                  "the rows lie within the map");
  HEADSCOPE_CHECK(out.size() == static_cast<std::size_t>((query_end - query_begin) * shape.keys),
                  "out holds the rows");
  if (parts_.given) {
    ConvertToFloat(parts_.given->weights, (head * shape.queries + query_begin) * shape.keys, out);
    return;
  }
  std::fill(out.begin(), out.end(), 0.0F);
  if (query_begin == query_end) {
    return;
  }
  // What a row sees begins and ends no earlier than what the row before sees.
  const std::int64_t key_begin = std::min(rule.FirstVisible(query_begin), shape.keys);
  const std::int64_t key_end = std::max(key_begin, rule.LastVisible(query_end - 1, shape.keys));
  const KeyLanes keys(parts_, head, key_begin, key_end);
  std::vector<double> scores(static_cast<std::size_t>(keys.padded()));
  for (std::int64_t query = query_begin; query < query_end; ++query) {
    const std::int64_t first = rule.FirstVisible(query) - key_begin;
    const std::int64_t last = rule.LastVisible(query, shape.keys) - key_begin;
    if (first >= last) {
      continue;
    }
    keys.DotProducts(
        parts_.queries.data() + (query * shape.heads + head) * shape.head_dim, last, scores.data());
    for (std::int64_t key = first; key < last; ++key) {
      double& score = scores[static_cast<std::size_t>(key)];
      score = Capped(rule.scale * score, rule.softcap) +
              static_cast<double>(rule.Bias(head, query, key_begin + key));
    }
    Softmax(scores.data() + first,
            last - first,
            out.data() + (query - query_begin) * shape.keys + key_begin + first);
  }
}

void LayerAttention::RowsOnAllThreads(std::int64_t head,
                                      std::int64_t query_begin,
                                      std::int64_t query_end,
                                      std::span<float> out) const {
  constexpr std::int64_t kRowsAtOnce = 32;  // that share one copy of their keys
  const std::int64_t keys = parts_.shape.keys;
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(head, query_begin, query_end, out, keys)
  for (std::int64_t begin = query_begin; begin < query_end; begin += kRowsAtOnce) {
    const std::int64_t end = std::min(begin + kRowsAtOnce, query_end);
    Rows(head,
         begin,
         end,
         out.subspan(static_cast<std::size_t>((begin - query_begin) * keys),
                     static_cast<std::size_t>((end - begin) * keys)));
  }
}

void LayerAttention::MakeDrawable(std::span<float> weights) const {
  if (parts_.given) {
    std::ranges::replace_if(
        weights, [](float weight) { return !std::isfinite(weight) || weight < 0.0F; }, 0.0F);
  }
}

void LayerAttention::Map(std::int64_t head, std::span<float> out) const {
  Rows(head, 0, parts_.shape.queries, out);
}

std::int64_t LayerAttention::byte_size() const {
  std::size_t floats = parts_.queries.size() + parts_.keys.size() + parts_.values.size() +
                       parts_.row_max.size() + parts_.row_inverse_sum.size() +
                       parts_.projection_input.size() + parts_.attention_output.size();
  for (const Thumbnail& thumbnail : parts_.thumbnails) {
    floats += thumbnail.mean.size() + thumbnail.max.size();
  }
  return static_cast<std::int64_t>(floats * sizeof(float));
}

}  // namespace headscope
