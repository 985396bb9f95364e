// Explains why one cell lights up: splits its score into what each earlier part of the model wrote
// into the two tokens' residual streams.
//
// A score is scale q . k. With the norms' scales held fixed, q is a sum over the writers of the
// query's stream (embeddings, earlier heads, earlier MLPs, biases), and k is one over the writers
// of the key's; so the score is exactly a table of query writers by key writers. Rotary positions
// rotate each part alike, norms of queries and keys scale them.
//
// Units    scores: terms are scaled; the cap and the head's own bias are applied after them and
//          reported separately.
// Errors   kInput (no such head or token, a cell that is masked), the forward's errors.
// Threads  the backend's.
// Cost     a forward up to the layer, and for each layer before it H dv d multiplications per
//          token.
// Source   Elhage 2021, "A Mathematical Framework for Transformer Circuits", QK circuits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/residual_stream.h"
#include "core/model/forward.h"

namespace headscope {

struct Cell {
  LayerId layer;
  std::int64_t head = 0;
  std::int64_t query = 0;
  std::int64_t key = 0;
};

struct CellSources {
  struct Source {
    Writer writer;
    double sum = 0.0;  // over its row or column of the table
  };
  std::vector<Source> queries;  // largest sum first
  std::vector<Source> keys;     // largest sum first
  std::vector<double> terms;    // [queries, keys]
  std::vector<std::size_t>
      largest;              // indices of the terms with the largest absolute values, in order
  double total = 0.0;       // of all terms: scale q . k
  double cap_change = 0.0;  // the change by the cap; 0 without a cap
  double head_bias = 0.0;   // the head's bias by distance (T5); 0 without one
  // The query's content with the key's position and the other way round (DeBERTa); 0 without.
  double query_content = 0.0;
  double key_content = 0.0;
  double model_dot = 0.0;  // scale q . k as the forward itself computed it

  [[nodiscard]] double score() const {
    return total + cap_change + head_bias + query_content + key_content;
  }
  [[nodiscard]] double term(std::size_t query, std::size_t key) const {
    return terms[query * keys.size() + key];
  }
};

// Ranks the terms, which may be millions: the first kRankedTerms go to `largest`.
inline constexpr std::size_t kRankedTerms = 40;
void RankTerms(CellSources* table);

[[nodiscard]] Result<CellSources> FindCellSources(Forward* forward,
                                                  const ForwardInput& input,
                                                  const Cell& cell,
                                                  const std::stop_token& stop);

}  // namespace headscope
