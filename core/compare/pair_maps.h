// The maps of two heads on the same rows and columns, for drawing, and the difference between them.
//
// Shapes   [rows, cols]: the places of two union axes, or of a part of both; if a side would exceed
//          1,024 cells, `places` places share a cell. A place of several tokens: the mean of their
//          rows, the sum of their columns.
// Units    weights; the difference is B minus A, -1 to 1. Masked cells and cells that a side does
//          not have hold kMasked, in the difference kNoDifference.
// Errors   kCancelled.
// Threads  MakePairMaps: any but the one that draws, and rows go to OpenMP's threads. PlaceRow:
//          any.
// Cost     the full softmax of every requested row of both heads; three floats a cell, so at most
//          12 MiB however long the texts are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/map_view.h"
#include "core/base/error.h"
#include "core/compare/shared_rows.h"
#include "core/compare/union_axis.h"

namespace headscope {

inline constexpr float kNoDifference = -2.0F;
inline constexpr std::int64_t kMostPairSide = 1024;

// A range of places on two axes; the last ones are exclusive.
struct PairPart {
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;
  std::int64_t first_col = 0;
  std::int64_t last_col = 0;
  friend bool operator==(const PairPart&, const PairPart&) = default;
};

struct PairMaps {
  PairPart of;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t places = 1;        // places of an axis per cell side
  std::vector<float> a;           // pooled: the mean of the visible weights
  std::vector<float> b;           // pooled in the same way
  std::vector<float> difference;  // pooled: the one farthest from 0
  float largest = 0.0F;           // of a and b, before pooling
  float furthest = 0.0F;          // largest absolute difference
};

// `part` lies within the axes and is not empty; none: the whole of both. `places`: per cell side;
// 0: as few as the limit allows.
[[nodiscard]] Result<PairMaps> MakePairMaps(const MapView& a,
                                            const MapView& b,
                                            const UnionAxis& queries,
                                            const UnionAxis& keys,
                                            const std::optional<PairPart>& part,
                                            const std::stop_token& stop,
                                            std::int64_t places = 0);

// Returns the part to make when places `first` to `last` of both axes are in view: as fine as the
// limit allows, including some surroundings, and the same part for nearby views. None: the whole is
// as fine.
[[nodiscard]] std::optional<PairPart> PartAround(const PairPart& seen,
                                                 std::int64_t rows,
                                                 std::int64_t cols);

// Computes one row of a side, exactly; out [keys.size()].
void PlaceRow(const MapView& map,
              Side side,
              const UnionPlace& query,
              const UnionAxis& keys,
              std::span<float> out);

}  // namespace headscope
