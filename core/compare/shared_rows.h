// Rows of one run's maps on the axes that it shares with another: as they are, or words' rows.
//
// Shapes   rows [shared queries, cols()], cols() the shared keys, and one more for special tokens
//          where there are some.
// Units    weights; what cannot be drawn (below 0, not finite; only of files) is 0.
// Errors   none.
// Threads  rows are made on OpenMP's threads; not the thread that draws.
// Cost     the full softmax of every row that is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/compare/shared_axis.h"

namespace headscope {

enum class Side { kA, kB };

struct ColumnSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

class SharedRows {
 public:
  // `layer`, `queries` and `keys` outlive this.
  SharedRows(const LayerAttention& layer,
             const SharedAxis& queries,
             const SharedAxis& keys,
             Side side);

  [[nodiscard]] std::int64_t heads() const { return layer_.shape().heads; }
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t cols() const;
  // Whether the row sees two columns or more: one that sees a single key has all its weight there
  // in every head.
  [[nodiscard]] bool SeesSeveral(std::int64_t row) const;
  // The columns outside of which the row is masked: [first, last).
  [[nodiscard]] ColumnSpan Visible(std::int64_t row) const;
  // How many rows of a head to make between two looks at whether to go on: a few milliseconds' work,
  // and enough for every thread.
  [[nodiscard]] std::int64_t RowsAtOnce() const;
  // Rows [begin, end) of a head; out [end - begin, cols()].
  void Make(std::int64_t head, std::int64_t begin, std::int64_t end, std::span<float> out) const;

 private:
  // Adds a token's row to a word's, column by column.
  void AddByWords(std::span<const float> row, std::span<float> out) const;

  const LayerAttention& layer_;
  const SharedAxis& queries_;
  const SharedAxis& keys_;
  std::span<const std::int32_t> key_places_;           // empty: tokens as they are
  std::vector<std::vector<std::int64_t>> query_rows_;  // tokens of each shared row; likewise
};

}  // namespace headscope
