// Two runs, compared and ready to be drawn: side A as it was opened, side B beside it.
//
// Threads  immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/token_look.h"
#include "core/compare/comparison.h"
#include "core/compare/union_axis.h"

namespace headscope {

struct ComparedPair {
  Comparison comparison;
  std::vector<std::shared_ptr<const LayerAttention>> a;  // of one part, ascending
  std::vector<std::shared_ptr<const LayerAttention>> b;
  UnionAxis queries;
  UnionAxis keys;
  std::int64_t tokens_a = 0;  // along the queries
  std::int64_t tokens_b = 0;
  std::int64_t bytes_b = 0;  // that side B's queries and keys take
  bool b_has_model = false;  // and a model of its own stays open for it
  // What pictures say of side B: its model and, where it read another text, that; notes.
  std::string model_b;
  std::string text_b;
  std::vector<std::string> notes_b;

  // Null: the side has no layer of that number.
  [[nodiscard]] const std::shared_ptr<const LayerAttention>& LayerA(std::int64_t layer) const;
  [[nodiscard]] const std::shared_ptr<const LayerAttention>& LayerB(std::int64_t layer) const;
  [[nodiscard]] const LayerComparison* Layer(std::int64_t layer) const;
};

// Compares two runs on the axes that they share. `look` is what was merged and hidden of both (SeeLayers),
// and is told in the notes. Names, and what is said of side B, stay empty.
// Errors   as CompareAttention.
[[nodiscard]] Result<ComparedPair> PairUp(const SeenLayers& a,
                                          const SeenLayers& b,
                                          SharedAxis queries,
                                          SharedAxis keys,
                                          const TokenLook& look,
                                          const CompareProgress& progress,
                                          const std::stop_token& stop);

}  // namespace headscope
