// The largest weights of heads, row by row: those that a picture of lines shows of all. How much of
// the rows they are, and how much is left out, is counted with them.
//
// Shapes   heads of one layer, each map [n, m].
// Units    weights; shares of all rows, so that kept, left and sink add up to 1 where rows do.
// Errors   kCancelled.
// Threads  KeepWeights: any but the drawing one, rows go to OpenMP's threads. LargestOfRow: any.
// Cost     every row once, and a heap of its visible weights; at most a few times `most` weights
//          are held.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/map_view.h"
#include "core/base/error.h"

namespace headscope {

struct KeepRule {
  double mass = 0.9;         // of what a row gives its tokens; 1: all of it
  std::int64_t per_row = 0;  // at most so many of a row; 0: any number
  // Of all rows together: the largest of each row first, then the second of each, and so on, so that
  // rows with many small weights are not left empty.
  std::int64_t most = 2'000;
  friend bool operator==(const KeepRule&, const KeepRule&) = default;
};

struct KeptWeight {
  std::int32_t query = 0;
  std::int32_t key = 0;
  float weight = 0.0F;
  float row_largest = 0.0F;
  std::int32_t view = 0;  // index among the heads
  std::int32_t rank = 0;  // among its row's, 0 the largest
  friend bool operator==(const KeptWeight&, const KeptWeight&) = default;
};

struct KeptWeights {
  std::vector<KeptWeight> weights;  // ascending, so that the largest is drawn last
  std::int64_t beyond = 0;          // weights that the rule keeps but for its `most`
  std::int64_t smaller = 0;         // visible weights above 0 that it does not keep
  // Means over all rows.
  double kept = 0.0;
  double left = 0.0;  // beyond and smaller
  double sink = 0.0;
};

// The keys of a row's largest weights, largest first, equal ones in reading order: as few as reach
// the rule's mass, all above 0. `row`: drawable weights.
[[nodiscard]] std::vector<std::int32_t> LargestOfRow(std::span<const float> row,
                                                     const KeepRule& rule);

struct RowSource {
  std::int32_t view = 0;
  std::int32_t query = 0;
};

// Adds a row's chosen keys (LargestOfRow) and what is left of it; sums, not yet means.
void AddRow(RowSource of,
            std::span<const float> row,
            std::span<const std::int32_t> keys,
            KeptWeights* kept);

// Leaves out what is more than `most` (KeepRule), counts it as beyond and left, and puts the others in
// order.
void KeepAtMost(std::int64_t most, KeptWeights* kept);

// `heads` are of one layer.
[[nodiscard]] Result<KeptWeights> KeepWeights(std::span<const MapView> heads,
                                              const KeepRule& rule,
                                              const std::stop_token& stop);

// The same of one row, or of one column: the largest of what all rows give a key, up to the mass of
// their sum; shares are of that row or sum. For the drawing thread: a row of each head.
[[nodiscard]] KeptWeights KeepRow(std::span<const MapView> heads,
                                  const KeepRule& rule,
                                  std::int64_t query);
[[nodiscard]] KeptWeights KeepColumn(std::span<const MapView> heads,
                                     const KeepRule& rule,
                                     std::int64_t key);

// What each query gives one key; out [queries]. For drawing: made of the two numbers stored for each
// row, within 1e-5 of the exact row; 0 where masked, or where a file holds no number.
void ColumnOf(const MapView& map, std::int64_t key, std::span<float> out);

}  // namespace headscope
