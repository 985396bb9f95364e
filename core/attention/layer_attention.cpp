#include "core/attention/layer_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/attention/head_vectors.h"
#include "core/base/check.h"
#include "core/base/half.h"
#include "core/compute/float_kernels.h"
#include "core/compute/position_scores.h"

namespace headscope {
namespace {

// Below it the keys of a row have less than a float's last digit of 1, and the stored number has
// lost digits.
constexpr double kLeastInverse = 1e-30;

double Capped(double score, double softcap) {
  return softcap > 0.0 ? softcap * std::tanh(score / softcap) : score;
}

// exp(score - largest) / sum over the row's visible keys, and over the head's sink.
void Softmax(
    const AttentionRule& rule, std::int64_t head, double* scores, std::int64_t count, float* out) {
  const double largest = *std::max_element(scores, scores + count);
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    scores[i] = std::exp(scores[i] - largest);
    sum += scores[i];
  }
  const double inverse = rule.ShareOfKeys(head, largest, sum) / sum;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(scores[i] * inverse);
  }
}

bool HasSize(const std::vector<float>& values, std::int64_t rows, std::int64_t cols) {
  return values.size() == static_cast<std::size_t>(rows * cols);
}

}  // namespace

float LargestWhereSeveral(const AttentionRule& rule,
                          std::int64_t query_begin,
                          std::int64_t keys,
                          std::span<const float> rows) {
  float largest = 0.0F;
  const std::int64_t count = std::ssize(rows) / std::max<std::int64_t>(1, keys);
  for (std::int64_t row = 0; row < count; ++row) {
    const std::int64_t query = query_begin + row;
    if (rule.SeesSeveral(query, keys)) {
      const auto begin = rows.begin() + row * keys;
      largest = std::max(largest,
                         *std::max_element(begin + rule.FirstVisible(query),
                                           begin + rule.LastVisible(query, keys)));
    }
  }
  return largest;
}

LayerAttention::LayerAttention(Content content) : content_(std::move(content)) {
  const AttentionShape& shape = content_.shape;
  if (content_.given) {
    const std::vector<std::int64_t> expected = {shape.heads, shape.queries, shape.keys};
    HEADSCOPE_CHECK(
        content_.given->weights.shape == expected && IsFloatingPoint(content_.given->weights.type),
        "given weights are numbers [H, n, m]");
    content_.largest.resize(static_cast<std::size_t>(shape.heads));
    return;
  }
  HEADSCOPE_CHECK(shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0,
                  "heads share keys evenly");
  if (content_.cut) {
    CheckCut();
    MeasureRows();
    return;
  }
  HEADSCOPE_CHECK(HasSize(content_.queries, shape.queries, shape.heads * shape.head_dim),
                  "queries are [n, H dk]");
  HEADSCOPE_CHECK(HasSize(content_.keys, shape.keys, shape.kv_heads * shape.head_dim),
                  "keys are [m, Hkv dk]");
  HEADSCOPE_CHECK(content_.values.empty() ||
                      HasSize(content_.values, shape.keys, shape.kv_heads * shape.value_dim),
                  "values are [m, Hkv dv]");
  MeasureRows();
}

void LayerAttention::CheckCut() const {
  HEADSCOPE_CHECK(content_.cut->source != nullptr && content_.cut->source->has_scores() &&
                      !content_.cut->source->content().cut,
                  "what is cut is a layer with queries and keys");
  const AttentionShape& shape = content_.shape;
  const AttentionShape& source = content_.cut->source->shape();
  HEADSCOPE_CHECK(shape.queries == source.queries && shape.keys == source.keys &&
                      shape.heads == std::ssize(content_.cut->columns) &&
                      content_.rule.bias == nullptr && content_.rule.positions == nullptr,
                  "a cut has the rows of its source, and heads of its own");
  for (const std::vector<std::int32_t>& own : content_.cut->columns) {
    const bool ascends = std::ranges::adjacent_find(own, std::ranges::greater_equal{}) == own.end();
    HEADSCOPE_CHECK(
        !own.empty() && ascends && own.front() >= 0 && own.back() < source.heads * source.head_dim,
        "the columns of a head ascend, within those of the layer");
  }
}

// A row's largest weight is exp(max - max) / sum.
void LayerAttention::MeasureRows() {
  const AttentionShape& shape = content_.shape;
  content_.largest.assign(static_cast<std::size_t>(shape.heads), 0.0F);
  if (!HasSize(content_.row_inverse_sum, shape.heads, shape.queries)) {
    return;
  }
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    if (!content_.rule.SeesSeveral(query, shape.keys)) {
      continue;
    }
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      float& largest = content_.largest[static_cast<std::size_t>(head)];
      const auto row = static_cast<std::size_t>(head * shape.queries + query);
      largest = std::max(largest, content_.row_inverse_sum[row]);
    }
  }
}

float LayerAttention::largest(std::int64_t head) const {
  HEADSCOPE_CHECK(head >= 0 && head < std::ssize(content_.largest), "the head is measured");
  return content_.largest[static_cast<std::size_t>(head)];
}

float LayerAttention::largest() const {
  const std::vector<float>& heads = content_.largest;
  return heads.empty() ? 0.0F : *std::max_element(heads.begin(), heads.end());
}

const Thumbnail& LayerAttention::thumbnail(std::int64_t head) const {
  HEADSCOPE_CHECK(head >= 0 && head < static_cast<std::int64_t>(content_.thumbnails.size()),
                  "the head has a thumbnail");
  return content_.thumbnails[static_cast<std::size_t>(head)];
}

const LayerAttention& LayerAttention::source() const {
  return content_.cut ? *content_.cut->source : *this;
}

std::vector<std::int32_t> LayerAttention::columns(std::int64_t head) const {
  HEADSCOPE_CHECK(head >= 0 && head < content_.shape.heads, "the head is one of the layer's");
  if (content_.cut) {
    return content_.cut->columns[static_cast<std::size_t>(head)];
  }
  std::vector<std::int32_t> own(static_cast<std::size_t>(content_.shape.head_dim));
  std::iota(own.begin(), own.end(), static_cast<std::int32_t>(head * content_.shape.head_dim));
  return own;
}

double LayerAttention::scale(std::int64_t head) const {
  if (!content_.cut) {
    return content_.rule.scale;
  }
  const auto own =
      static_cast<double>(content_.cut->columns[static_cast<std::size_t>(head)].size());
  return content_.rule.scale * std::sqrt(static_cast<double>(source().shape().head_dim) / own);
}

bool LayerAttention::Visible(std::int64_t query, std::int64_t key) const {
  return key >= content_.rule.FirstVisible(query) &&
         key < content_.rule.LastVisible(query, content_.shape.keys);
}

double LayerAttention::DotProduct(std::int64_t head, std::int64_t query, std::int64_t key) const {
  const AttentionShape& shape = content_.shape;
  HEADSCOPE_CHECK(has_scores(), "given weights have no dot products");
  HEADSCOPE_CHECK(head >= 0 && head < shape.heads && query >= 0 && query < shape.queries &&
                      key >= 0 && key < shape.keys,
                  "the cell lies within the map");
  const HeadVectors vectors(*this, head);
  std::vector<float> query_room;
  std::vector<float> key_room;
  const float* q = vectors.Queries(query, query + 1, &query_room).first;
  const float* k = vectors.Keys(key, key + 1, &key_room).first;
  double sum = 0.0;
  for (std::int64_t i = 0; i < vectors.columns(); ++i) {
    sum += static_cast<double>(q[i]) * static_cast<double>(k[i]);
  }
  return sum;
}

double LayerAttention::Score(std::int64_t head, std::int64_t query, std::int64_t key) const {
  if (!Visible(query, key)) {
    return -std::numeric_limits<double>::infinity();
  }
  const AttentionRule& rule = content_.rule;
  const PositionScore positions = PositionPart(head, query, key);
  return Capped(scale(head) * DotProduct(head, query, key), rule.softcap) +
         static_cast<double>(rule.Bias(head, query, key)) + positions.query_content +
         positions.key_content;
}

PositionScore LayerAttention::PositionPart(std::int64_t head,
                                           std::int64_t query,
                                           std::int64_t key) const {
  if (content_.rule.positions == nullptr) {
    return {};
  }
  const HeadVectors vectors(*this, head);
  std::vector<float> room;
  const auto columns = [&](const VectorRows& row) {
    return std::vector<double>(row.first, row.first + vectors.columns());
  };
  const std::vector<double> of_query = columns(vectors.Queries(query, query + 1, &room));
  const std::vector<double> of_key = columns(vectors.Keys(key, key + 1, &room));
  return PositionScoreOf(content_.rule, head, query, key, of_query, of_key);
}

double LayerAttention::SinkWeight(std::int64_t head, std::int64_t query) const {
  const AttentionRule& rule = content_.rule;
  if (!has_sinks()) {
    return 0.0;
  }
  if (content_.given) {
    return static_cast<double>(
        content_.given->sinks[static_cast<std::size_t>(head * content_.shape.queries + query)]);
  }
  if (rule.FirstVisible(query) >= rule.LastVisible(query, content_.shape.keys)) {
    return 1.0;
  }
  const auto at = static_cast<std::size_t>(head * content_.shape.queries + query);
  const auto inverse = static_cast<double>(content_.row_inverse_sum[at]);
  if (inverse < kLeastInverse) {
    return 1.0;
  }
  const auto sink = static_cast<double>((*rule.sinks)[static_cast<std::size_t>(head)]);
  return std::exp(sink - static_cast<double>(content_.row_max[at])) * inverse;
}

void LayerAttention::Row(std::int64_t head, std::int64_t query, std::span<float> out) const {
  Rows(head, query, query + 1, out);
}

void LayerAttention::Rows(std::int64_t head,
                          std::int64_t query_begin,
                          std::int64_t query_end,
                          std::span<float> out) const {
  const AttentionShape& shape = content_.shape;
  const AttentionRule& rule = content_.rule;
  HEADSCOPE_CHECK(head >= 0 && head < shape.heads && query_begin >= 0 && query_begin <= query_end &&
                      query_end <= shape.queries,
                  "the rows lie within the map");
  HEADSCOPE_CHECK(out.size() == static_cast<std::size_t>((query_end - query_begin) * shape.keys),
                  "out holds the rows");
  if (content_.given) {
    ConvertToFloat(content_.given->weights, (head * shape.queries + query_begin) * shape.keys, out);
    return;
  }
  std::fill(out.begin(), out.end(), 0.0F);
  if (query_begin == query_end) {
    return;
  }
  const HeadVectors vectors(*this, head);
  // A row's visible keys begin and end no earlier than the previous row's.
  const std::int64_t first_key = std::min(rule.FirstVisible(query_begin), shape.keys);
  const std::int64_t last_key = std::max(first_key, rule.LastVisible(query_end - 1, shape.keys));
  std::vector<float> query_room;
  std::vector<float> key_room;
  const VectorRows queries = vectors.Queries(query_begin, query_end, &query_room);
  const VectorRows keys = vectors.Keys(first_key, last_key, &key_room);
  const std::int64_t at_once = std::min(ScoresInDouble::kMostRows, query_end - query_begin);
  std::vector<double> scores(static_cast<std::size_t>(at_once * shape.keys));
  for (std::int64_t begin = query_begin; begin < query_end; begin += at_once) {
    const std::int64_t end = std::min(begin + at_once, query_end);
    const std::int64_t key_begin = std::min(rule.FirstVisible(begin), shape.keys);
    const std::int64_t key_end = std::max(key_begin, rule.LastVisible(end - 1, shape.keys));
    Kernels().scores_in_double({.rows = end - begin,
                                .keys = key_end - key_begin,
                                .columns = vectors.columns(),
                                .scale = scale(head),
                                .query = queries.first + (begin - query_begin) * queries.stride,
                                .query_stride = queries.stride,
                                .key = keys.first + (key_begin - first_key) * keys.stride,
                                .key_stride = keys.stride,
                                .out = scores.data() + key_begin,
                                .out_stride = shape.keys});
    for (std::int64_t query = begin; query < end; ++query) {
      const std::int64_t first = rule.FirstVisible(query);
      const std::int64_t last = rule.LastVisible(query, shape.keys);
      if (first >= last) {
        continue;
      }
      double* row = scores.data() + (query - begin) * shape.keys;
      for (std::int64_t key = first; key < last; ++key) {
        row[key] =
            Capped(row[key], rule.softcap) + static_cast<double>(rule.Bias(head, query, key));
      }
      if (rule.positions != nullptr) {
        AddPositionScores(rule,
                          head,
                          query,
                          queries.first + (query - query_begin) * queries.stride,
                          {keys.first + (first - first_key) * keys.stride, keys.stride, first},
                          std::span(row + first, static_cast<std::size_t>(last - first)));
      }
      Softmax(rule,
              head,
              row + first,
              last - first,
              out.data() + (query - query_begin) * shape.keys + first);
    }
  }
}

void LayerAttention::RowsOnAllThreads(std::int64_t head,
                                      std::int64_t query_begin,
                                      std::int64_t query_end,
                                      std::span<float> out) const {
  // Rows per task of one thread: fewer if there are few, so that other threads get some.
  const std::int64_t at_once = (query_end - query_begin >= 4 * ScoresInDouble::kMostRows ? 2 : 1) *
                               ScoresInDouble::kMostRows;
  const std::int64_t keys = content_.shape.keys;
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(head, query_begin, query_end, out, keys, at_once)
  for (std::int64_t begin = query_begin; begin < query_end; begin += at_once) {
    const std::int64_t end = std::min(begin + at_once, query_end);
    Rows(head,
         begin,
         end,
         out.subspan(static_cast<std::size_t>((begin - query_begin) * keys),
                     static_cast<std::size_t>((end - begin) * keys)));
  }
}

void LayerAttention::MakeDrawable(std::span<float> weights) const {
  if (content_.given) {
    std::ranges::replace_if(
        weights, [](float weight) { return !std::isfinite(weight) || weight < 0.0F; }, 0.0F);
  }
}

void LayerAttention::Map(std::int64_t head, std::span<float> out) const {
  Rows(head, 0, content_.shape.queries, out);
}

std::int64_t LayerAttention::byte_size() const {
  std::size_t floats = content_.queries.size() + content_.keys.size() + content_.values.size() +
                       content_.row_max.size() + content_.row_inverse_sum.size() +
                       content_.projection_input.size() + content_.attention_output.size();
  for (const Thumbnail& thumbnail : content_.thumbnails) {
    floats += thumbnail.mean.size() + thumbnail.max.size();
  }
  return static_cast<std::int64_t>(floats * sizeof(float));
}

}  // namespace headscope
