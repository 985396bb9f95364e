// One layer's attention, kept small: Q, K and two numbers per row, from which any weight is made on
// demand. A layer may also be one cut into other heads, with other columns of the same Q and K, or
// attention made elsewhere: weights as they lie in a file, and no scores.
//
// Shapes   queries [n, H dk], keys [m, Hkv dk]; row_max, row_inverse_sum [H, n]; thumbnails [H,
//          rows, cols], at most 128 a side (thumbnail_builder.h). Where states are kept: values [m,
//          Hkv dv]. Columns of a head: of the H dk of the queries, ascending, and of the keys as if
//          these were repeated for every query head.
// Units    weights: rows sum to 1, masked exactly 0. Score: scaled, capped, biased; masked scores
//          are -infinity.
// Errors   none after construction; indices are the caller's to check (HEADSCOPE_CHECK).
// Threads  immutable after capture; any thread reads.
// Cost     n d floats times two instead of H n m; a row costs m dk multiplications.
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

namespace headscope {

// Pooled over visible cells only; cells with no visible weight are marked masked. Exact (one cell a
// weight) if !pooled.
struct Thumbnail {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool pooled = false;
  std::vector<float> mean;  // [rows, cols]; masked cells hold kMasked
  std::vector<float> max;   // [rows, cols]; empty if !pooled (then equal to mean)
};

inline constexpr std::int64_t kThumbnailSize = 128;  // cells on the longer side

// Marks a masked cell in maps and thumbnails made for drawing: weights are never negative.
inline constexpr float kMasked = -1.0F;

// Weights that were made elsewhere, as they lie there.
struct GivenWeights {
  TensorView weights;                  // [H, n, m], floating point
  std::shared_ptr<const void> keeper;  // of their bytes
};

class LayerAttention;

// Heads that own other columns of a layer's queries and keys than those it was trained with. They
// may overlap and differ in number; heads have at least one each.
struct HeadCut {
  std::shared_ptr<const LayerAttention> source;    // the layer: has scores, and is no cut
  std::vector<std::vector<std::int32_t>> columns;  // [H]
};

// The largest weight among rows of a map, from `query_begin` on, that see two keys or more; 0 where
// none does. Rows [rows, keys].
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
    std::optional<GivenWeights> given = {};  // in place of queries, keys, values and their rows
    std::optional<HeadCut> cut = {};  // in place of queries and keys; widths: of the widest head
    std::vector<float> largest = {};  // [H], see largest(); made here where rows are stored
  };
  explicit LayerAttention(Content content);

  [[nodiscard]] ModelPart part() const { return content_.part; }
  [[nodiscard]] std::int64_t layer() const { return content_.layer; }
  [[nodiscard]] const AttentionShape& shape() const { return content_.shape; }
  [[nodiscard]] const AttentionRule& rule() const { return content_.rule; }
  [[nodiscard]] const Content& content() const { return content_; }
  [[nodiscard]] const Thumbnail& thumbnail(std::int64_t head) const;
  // The layer that queries and keys are of: another one where this is a cut.
  [[nodiscard]] const LayerAttention& source() const;
  [[nodiscard]] std::vector<std::int32_t> columns(std::int64_t head) const;
  // The scale of the head's scores: the rule's, in a cut times sqrt(dk of the source / own
  // columns).
  [[nodiscard]] double scale(std::int64_t head) const;
  [[nodiscard]] bool Visible(std::int64_t query, std::int64_t key) const;
  // What the ranges of a head, a layer and all heads are measured by: the largest weight of the
  // rows that see two keys or more; 0 where there is no such row.
  [[nodiscard]] float largest(std::int64_t head) const;
  [[nodiscard]] float largest() const;  // of all heads

  // Whether there are scores: weights made elsewhere have none, nor queries, keys and values.
  [[nodiscard]] bool has_scores() const { return !content_.given; }
  // q . k, before scale and cap; only where there are scores.
  [[nodiscard]] double DotProduct(std::int64_t head, std::int64_t query, std::int64_t key) const;
  [[nodiscard]] double Score(std::int64_t head, std::int64_t query, std::int64_t key) const;

  // The full softmax of one row, or the row as it was given; out [m], masked exactly 0.
  void Row(std::int64_t head, std::int64_t query, std::span<float> out) const;
  // Rows [query_begin, query_end) of one head, full softmax; out [rows, m].
  void Rows(std::int64_t head,
            std::int64_t query_begin,
            std::int64_t query_end,
            std::span<float> out) const;
  // The same, shared out among OpenMP's threads: not for the thread that draws.
  void RowsOnAllThreads(std::int64_t head,
                        std::int64_t query_begin,
                        std::int64_t query_end,
                        std::span<float> out) const;
  // For drawing: 0 in place of weights that cannot be drawn (below 0, not finite), which only given
  // ones can be.
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
