// One layer's attention, kept small: Q, K and two numbers per row, from which any weight is made on
// demand. It may also be a layer cut into other heads, which use other columns of the same Q and K,
// or attention from a file: stored weights without scores.
//
// Shapes   queries [n, H dk], keys [m, Hkv dk]; row_max, row_inverse_sum [H, n]; thumbnails [H,
//          rows, cols], at most 128 a side (thumbnail_builder.h). With states also values [m, Hkv
//          dv]. A head's columns are ascending indices into the H dk columns of the queries, and of
//          the keys as if keys were repeated for every query head.
// Units    weights: rows sum to 1, masked weights are exactly 0. Score: scaled, capped, biased;
//          masked scores are -infinity.
// Errors   none after construction; the caller must pass valid indices (HEADSCOPE_CHECK).
// Threads  immutable after capture; any thread reads.
// Cost     2 n d floats instead of H n m; a row costs m dk multiplications.
// Source   docs/architecture.md, "The attention store".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/model_part.h"
#include "core/base/tensor_view.h"
#include "core/compute/attention.h"
#include "core/compute/position_scores.h"

namespace headscope {

// Pooled over visible cells only; cells without a visible weight are kMasked. Exact (one weight per
// cell) if !pooled.
struct Thumbnail {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool pooled = false;
  std::vector<float> mean;  // [rows, cols]; masked cells hold kMasked
  std::vector<float> max;   // [rows, cols]; empty if !pooled (then equal to mean)
};

inline constexpr std::int64_t kThumbnailSize = 128;  // most cells on a side

// Marks a masked cell in maps and thumbnails made for drawing: weights are never negative.
inline constexpr float kMasked = -1.0F;

// Weights from a file, unchanged.
struct GivenWeights {
  TensorView weights;                  // [H, n, m], floating point
  std::shared_ptr<const void> keeper;  // owns their bytes
  std::vector<float> sinks = {};       // [H, n], what sinks take of each row; empty: no sinks
};

class LayerAttention;

// Heads with other columns of a layer's queries and keys than it was trained with. They may overlap
// and differ in width; each has at least one column.
struct HeadCut {
  std::shared_ptr<const LayerAttention> source;  // the original layer: has scores, and is not a cut
  std::vector<std::vector<std::int32_t>> columns;  // [H]
};

// Returns the largest weight in the rows, from `query_begin` on, that see two or more keys; 0 if
// there are none. Rows [rows, keys].
[[nodiscard]] float LargestWhereSeveral(const AttentionRule& rule,
                                        std::int64_t query_begin,
                                        std::int64_t keys,
                                        std::span<const float> rows);

class LayerAttention {
 public:
  struct Content {
    ModelPart part = ModelPart::kWhole;
    std::int64_t layer = 0;
    AttentionShape shape;
    AttentionRule rule;
    std::vector<float> queries;
    std::vector<float> keys;
    std::vector<float> values;  // empty unless states are kept
    std::vector<float> row_max;
    std::vector<float> row_inverse_sum;
    std::vector<Thumbnail> thumbnails;       // [H]
    std::vector<float> projection_input;     // [n, d]; empty unless states are kept
    std::vector<float> attention_output;     // [n, d]; empty unless states are kept
    std::optional<GivenWeights> given = {};  // in place of queries, keys, values and row sums
    std::optional<HeadCut> cut = {};  // in place of queries and keys; `shape` has the widest head
    std::vector<float> largest = {};  // [H], see largest(); computed here if rows are stored
    // [H, n], what each row gave to keys that are left out (core/attention/token_look.h); empty:
    // none are, and none are merged.
    std::vector<float> hidden = {};
  };
  explicit LayerAttention(Content content);

  [[nodiscard]] ModelPart part() const { return content_.part; }
  [[nodiscard]] std::int64_t layer() const { return content_.layer; }
  [[nodiscard]] const AttentionShape& shape() const { return content_.shape; }
  [[nodiscard]] const AttentionRule& rule() const { return content_.rule; }
  [[nodiscard]] const Content& content() const { return content_; }
  [[nodiscard]] const Thumbnail& thumbnail(std::int64_t head) const;
  // The layer that has the queries and keys: the original one if this is a cut.
  [[nodiscard]] const LayerAttention& source() const;
  [[nodiscard]] std::vector<std::int32_t> columns(std::int64_t head) const;
  // The scale of the head's scores: the rule's, multiplied in a cut by sqrt(dk of the source / own
  // columns).
  [[nodiscard]] double scale(std::int64_t head) const;
  [[nodiscard]] bool Visible(std::int64_t query, std::int64_t key) const;
  // The value that colour ranges of a head, a layer and all heads are based on: the largest weight
  // of the rows that see two or more keys; 0 if there are none.
  [[nodiscard]] float largest(std::int64_t head) const;
  [[nodiscard]] float largest() const;  // of all heads

  // Whether there are scores: weights from a file have none, and no queries, keys or values.
  [[nodiscard]] bool has_scores() const { return !content_.given; }
  // q . k, before scale and cap; only if has_scores().
  [[nodiscard]] double DotProduct(std::int64_t head, std::int64_t query, std::int64_t key) const;
  [[nodiscard]] double Score(std::int64_t head, std::int64_t query, std::int64_t key) const;
  [[nodiscard]] bool has_sinks() const {
    return content_.given ? !content_.given->sinks.empty() : content_.rule.sinks != nullptr;
  }
  // Whether tokens are merged or left out, and what a row gave to those that are left out.
  [[nodiscard]] bool is_seen_apart() const { return !content_.hidden.empty(); }
  [[nodiscard]] float HiddenWeight(std::int64_t head, std::int64_t query) const {
    return is_seen_apart()
               ? content_.hidden[static_cast<std::size_t>(head * content_.shape.queries + query)]
               : 0.0F;
  }
  // What the head's sink takes of a row, so that its weights lack it of 1; 0 without sinks.
  [[nodiscard]] double SinkWeight(std::int64_t head, std::int64_t query) const;
  // What vectors of positions add to a visible cell's score.
  [[nodiscard]] PositionScore PositionPart(std::int64_t head,
                                           std::int64_t query,
                                           std::int64_t key) const;

  // Computes the full softmax of one row, or copies a given row; out [m], masked weights are
  // exactly 0.
  void Row(std::int64_t head, std::int64_t query, std::span<float> out) const;
  // Rows [query_begin, query_end) of one head, by the full softmax; out [rows, m].
  void Rows(std::int64_t head,
            std::int64_t query_begin,
            std::int64_t query_end,
            std::span<float> out) const;
  // The same on OpenMP's threads; not for the drawing thread.
  void RowsOnAllThreads(std::int64_t head,
                        std::int64_t query_begin,
                        std::int64_t query_end,
                        std::span<float> out) const;
  // For drawing: sets weights that cannot be drawn (negative or not finite) to 0; only given ones
  // can be.
  void MakeDrawable(std::span<float> weights) const;
  // The whole map; out [n, m].
  void Map(std::int64_t head, std::span<float> out) const;

  [[nodiscard]] std::int64_t byte_size() const;

 private:
  void CheckCut() const;
  void MeasureRows();

  Content content_;
};

}  // namespace headscope
