// One weight dimension by dimension: the products of its query with its key, their sum, and each step
// from there to the weight.
//
// Shapes   query, key, products [columns of the head], in the order of the head's columns: after any
//          norm and rotary turn, as the scores use them.
// Units    score = cap(scale * dot) + bias + positions; weight = exp(score - largest) / sum, where
//          largest and sum are of the row's visible keys, and of the head's sink.
// Errors   none; the layer must have scores, and the cell must lie within the map.
// Threads  any.
// Cost     one row.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/map_view.h"

namespace headscope {

struct ScoreParts {
  std::vector<double> query = {};
  std::vector<double> key = {};
  std::vector<double> products = {};
  double dot = 0.0;
  double scale = 1.0;
  double softcap = 0.0;  // 0: none
  double capped = 0.0;   // scale * dot, capped where there is a cap
  double bias = 0.0;
  double positions = 0.0;    // of the products with vectors of positions
  double score = 0.0;        // -infinity where masked
  double largest = 0.0;      // score of the row's visible keys
  double exponential = 0.0;  // exp(score - largest)
  double sum = 0.0;          // of them, over the row, the sink's among them
  double sink = 0.0;         // its part of the row; 0 without one
  double weight = 0.0;
};

[[nodiscard]] ScoreParts PartsOfScore(const MapView& map, std::int64_t query, std::int64_t key);

// The dimensions from the largest product to the smallest, equal ones in their order.
[[nodiscard]] std::vector<std::int32_t> SortedDimensions(const ScoreParts& parts);

}  // namespace headscope
