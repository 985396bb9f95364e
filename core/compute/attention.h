// One layer's attention as data: its input, its rule, and an observer of the weights as they are
// made.
//
// Shapes   queries [n, H, dk], keys [m, Hkv, dk], values [m, Hkv, dv], row-major; H % Hkv == 0;
//          weights [H, n, m].
// Units    score s_ij = cap(scale * q_i . k_j) + bias_ij + scale * (q_i . a_ij + k_j . b_ij),
//          cap(x) = softcap * tanh(x / softcap) where softcap > 0, bias where the rule has one, a and
//          b where it has vectors of positions;
//          weight = softmax over the visible keys, and over the head's sink where the rule has
//          them: a row then sums to less than 1; masked weights are exactly 0 and masked scores
//          -infinity.
// Threads  observers are called on the thread that runs the backend.
// Source   Vaswani 2017 eq. 1; grouped keys and values: Ainslie 2023; slopes: Press 2022; vectors of
//          positions: He 2021; sinks: OpenAI 2025 (gpt-oss).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

struct AttentionShape {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;
};

// What each head adds to a score for the distance of the key from the query: a learned number for
// each distance, or a slope times the distance (ALiBi), or both.
struct RelativeBias {
  std::int64_t span = 0;      // keys further away count as this far
  std::vector<float> values;  // [H, 2 span + 1], `span` keys before the query to `span` after
  std::vector<float> slopes;  // [H], of keys before and after alike; either list may be empty

  [[nodiscard]] float At(std::int64_t head, std::int64_t distance) const {
    float sum = 0.0F;
    if (!values.empty()) {
      const std::int64_t cell = head * (2 * span + 1) + std::clamp(distance, -span, span) + span;
      sum = values[static_cast<std::size_t>(cell)];
    }
    if (!slopes.empty()) {
      sum -= slopes[static_cast<std::size_t>(head)] * static_cast<float>(std::abs(distance));
    }
    return sum;
  }
};

// Vectors of the distance from key to query, which queries and keys are compared with (DeBERTa): to
// the product of their contents each head adds that of the query with the position's key, and that
// of the key with the position's query.
struct PositionVectors {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t span = 0;          // keys further away count as this far
  std::vector<std::int32_t> row;  // [2 span + 1]: of a key `span` after the query to `span` before
  std::vector<float> keys;        // [rows, H, dk], or empty: queries meet no positions
  std::vector<float> queries;     // [rows, H, dk], or empty: keys meet no positions

  // The row of a key that is `distance` before the query (negative: after it).
  [[nodiscard]] std::int64_t RowOf(std::int64_t distance) const {
    return row[static_cast<std::size_t>(std::clamp(distance, -span, span) + span)];
  }
  [[nodiscard]] const float* Key(std::int64_t head, std::int64_t at) const {
    return keys.data() + (at * heads + head) * head_dim;
  }
  [[nodiscard]] const float* Query(std::int64_t head, std::int64_t at) const {
    return queries.data() + (at * heads + head) * head_dim;
  }
};

struct AttentionRule {
  double scale = 1.0;
  double softcap = 0.0;  // 0: none
  bool causal = false;   // query i sees keys 0..i+offset
  // 0: none; else i sees keys j with i + offset - j < window and, without a causal mask,
  // j - i - offset < window.
  std::int64_t window = 0;
  // Above 0: keys are in chunks of so many, and i sees only those of its own.
  std::int64_t chunk = 0;
  std::int64_t offset = 0;                        // position of the first query among the keys
  std::shared_ptr<const RelativeBias> bias = {};  // null: none
  // [H], a score of each head that is no key's: what a row lacks of 1 is its weight. Null: none.
  std::shared_ptr<const std::vector<float>> sinks = {};
  std::shared_ptr<const PositionVectors> positions = {};  // null: none

  // The visible keys of a query: [first, last).
  [[nodiscard]] std::int64_t FirstVisible(std::int64_t query) const {
    const std::int64_t in_window = window > 0 ? query + offset - window + 1 : 0;
    const std::int64_t in_chunk = chunk > 0 ? (query + offset) / chunk * chunk : 0;
    return std::max({in_window, in_chunk, std::int64_t{0}});
  }
  [[nodiscard]] std::int64_t LastVisible(std::int64_t query, std::int64_t keys) const {
    const std::int64_t ahead = causal ? 1 : window > 0 ? window : keys;
    return std::min(query + offset + ahead, keys);
  }
  // Whether a query with all keys before it does not see some of them.
  [[nodiscard]] bool LeavesKeysOut() const { return window > 0 || chunk > 0; }
  // A row that sees only one key has all its weight there, whatever the scores are.
  [[nodiscard]] bool SeesSeveral(std::int64_t query, std::int64_t keys) const {
    return LastVisible(query, keys) - FirstVisible(query) >= 2;
  }
  // The part of 1 that a head's sink leaves to the keys of a row, whose largest score is `max` and
  // whose exp(score - max) add up to `sum`.
  [[nodiscard]] double ShareOfKeys(std::int64_t head, double max, double sum) const {
    if (sinks == nullptr) {
      return 1.0;
    }
    const auto sink = static_cast<double>((*sinks)[static_cast<std::size_t>(head)]);
    return 1.0 / (1.0 + std::exp(sink - max) / sum);
  }
  [[nodiscard]] float Bias(std::int64_t head, std::int64_t query, std::int64_t key) const {
    return bias == nullptr ? 0.0F : bias->At(head, key - query - offset);
  }
};

// Rows [query_begin, query_end) of the weights of heads [head_begin, head_end), after the softmax.
struct AttentionBlock {
  std::int64_t head_begin = 0;
  std::int64_t head_end = 0;
  std::int64_t query_begin = 0;
  std::int64_t query_end = 0;
  std::int64_t keys = 0;
  std::span<const float> weights;  // [head_end - head_begin, query_end - query_begin, keys]
  // [head_end - head_begin, query_end - query_begin]: the largest score of each row, and
  // 1 / sum exp(score - row_max), a sink's term included.
  std::span<const float> row_max;
  std::span<const float> row_inverse_sum;
};

// The projections as the scores use them: after any norm and rotary turn, not yet scaled. An observer
// may look at them during the call only.
struct AttentionProjections {
  AttentionShape shape;
  AttentionRule rule;
  std::span<const float> queries;
  std::span<const float> keys;
  std::span<const float> values;
};

class AttentionObserver {
 public:
  virtual ~AttentionObserver() = default;

  // Called once for each text, before its blocks.
  virtual void OnProjections(const AttentionProjections& /*projections*/) {}
  // Blocks cover every head and query once, in any order.
  virtual void OnBlock(const AttentionBlock& block) = 0;

 protected:
  AttentionObserver() = default;
  AttentionObserver(const AttentionObserver&) = default;
  AttentionObserver& operator=(const AttentionObserver&) = default;
  AttentionObserver(AttentionObserver&&) = default;
  AttentionObserver& operator=(AttentionObserver&&) = default;
};

}  // namespace headscope
