// The maps of two heads on the same rows and columns, for drawing, and what lies between them.
//
// Shapes   [rows, cols]: the places of two union axes, or of a part of both; of more than 1,024 a
//          side `places` of them to a cell. A place of several tokens: the mean of their rows, the sum of their columns.
// Units    weights; the difference is B less A, -1 to 1. Masked cells and those that a side does
//          not have hold kMasked, in the difference kNoDifference.
// Errors   kCancelled.
// Threads  any but the one that draws, and rows go to OpenMP's threads; PlaceRow any.
// Cost     the full softmax of every row of both heads that is asked for; three floats a cell, so
//          12 MiB at most whatever the texts' lengths.
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

// Places of two axes, past the last ones exclusive.
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
  std::int64_t places = 1;        // of an axis, to a cell's side
  std::vector<float> a;           // pooled: the mean of what is visible
  std::vector<float> b;           // likewise
  std::vector<float> difference;  // pooled: the one furthest from 0
  float largest = 0.0F;           // of a and b, before they are pooled
  float furthest = 0.0F;          // from 0, of the difference
};

// `part` lies within the axes and is not empty; none: all of them. `places`: to a cell's side; 0: as
// few as the bound allows.
[[nodiscard]] Result<PairMaps> MakePairMaps(const MapView& a,
                                            const MapView& b,
                                            const UnionAxis& queries,
                                            const UnionAxis& keys,
                                            const std::optional<PairPart>& part,
                                            const std::stop_token& stop,
                                            std::int64_t places = 0);

// The part to make where `first` to `last` of both axes is looked at: as fine as the bound allows,
// with what lies around, and the same for places nearby. None: the whole is as fine.
[[nodiscard]] std::optional<PairPart> PartAround(const PairPart& seen,
                                                 std::int64_t rows,
                                                 std::int64_t cols);

// One row of a side, exact; out [keys.size()].
void PlaceRow(const MapView& map,
              Side side,
              const UnionPlace& query,
              const UnionAxis& keys,
              std::span<float> out);

}  // namespace headscope
