// Rows of one run's maps on the axes that it shares with another run: token rows, or the rows of
// words.
//
// Shapes   rows [shared queries, cols()]; cols() is the number of shared keys, plus one for special
//          tokens if there are any, plus one for what rows lack if either side's rows may lack
//          some: tokens that are hidden, a head's sink. A row then adds up to 1 again.
// Units    weights; values that cannot be drawn (below 0, not finite; only in files) are 0.
// Errors   none.
// Threads  any but the one that draws; rows are made on OpenMP's threads.
// Cost     the full softmax of every requested row.
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
             Side side,
             bool has_rest);
  // Whether its rows may lack some of their weight.
  [[nodiscard]] static bool MayLack(const LayerAttention& layer) {
    return layer.has_sinks() || layer.is_seen_apart();
  }

  [[nodiscard]] std::int64_t heads() const { return layer_.shape().heads; }
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t cols() const;
  // True if the row sees two columns or more: a row that sees a single key has all its weight there
  // in every head.
  [[nodiscard]] bool SeesSeveral(std::int64_t row) const;
  // Returns the columns outside which the row is masked: [first, last).
  [[nodiscard]] ColumnSpan Visible(std::int64_t row) const;
  // Returns how many rows of a head to make between two checks for a stop request: a few
  // milliseconds' work, and enough for every thread.
  [[nodiscard]] std::int64_t RowsAtOnce() const;
  // Makes rows [begin, end) of a head; out [end - begin, cols()].
  void Make(std::int64_t head, std::int64_t begin, std::int64_t end, std::span<float> out) const;

 private:
  [[nodiscard]] bool IsByTokens() const { return query_rows_.empty() && key_places_.empty(); }
  // Adds a token's row to a word's, column by column, and what it lacks to the last column.
  void AddByWords(std::span<const float> row, std::span<float> out) const;

  const LayerAttention& layer_;
  const SharedAxis& queries_;
  const SharedAxis& keys_;
  std::span<const std::int32_t> key_places_;  // empty: columns are tokens
  bool has_rest_;
  std::vector<std::vector<std::int64_t>>
      query_rows_;  // tokens of each shared row; empty: rows are tokens
};

}  // namespace headscope
