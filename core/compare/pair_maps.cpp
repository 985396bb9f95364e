#include "core/compare/pair_maps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/check.h"
#include "core/base/stop.h"
#include "core/base/thread_role.h"

namespace headscope {
namespace {

const std::vector<std::int64_t>& TokensOf(const UnionPlace& place, Side side) {
  return side == Side::kA ? place.a : place.b;
}

// What a difference is taken of: a masked weight is exactly 0, one that is not there is none.
float Difference(float a, float b, bool both_have_it) {
  if (!both_have_it || (a < 0.0F && b < 0.0F)) {
    return kNoDifference;
  }
  return std::max(b, 0.0F) - std::max(a, 0.0F);
}

// Adds rows up to rows of cells.
class Pool {
 public:
  Pool(std::int64_t cols, std::int64_t places)
      : places_(places),
        sums_(static_cast<std::size_t>(cols)),
        counts_(static_cast<std::size_t>(cols)) {}

  void Add(std::span<const float> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] >= 0.0F) {
        const auto cell = i / static_cast<std::size_t>(places_);
        sums_[cell] += row[i];
        counts_[cell] += 1.0F;
      }
    }
  }
  void TakeInto(std::span<float> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = counts_[i] > 0.0F ? sums_[i] / counts_[i] : kMasked;
    }
    std::ranges::fill(sums_, 0.0F);
    std::ranges::fill(counts_, 0.0F);
  }

 private:
  std::int64_t places_;
  std::vector<float> sums_;
  std::vector<float> counts_;
};

// To a cell's side, so that a side of that many places is within the bound.
std::int64_t PlacesFor(std::int64_t length) {
  return std::max<std::int64_t>(1, (length + kMostPairSide - 1) / kMostPairSide);
}

bool IsWithin(const PairPart& part, std::int64_t rows, std::int64_t cols) {
  return 0 <= part.first_row && part.first_row <= part.last_row && part.last_row <= rows &&
         0 <= part.first_col && part.first_col <= part.last_col && part.last_col <= cols;
}

// A stretch of `side` places, or all, that begins at a multiple of a quarter of it and holds what is
// seen, which is half as long at most.
std::pair<std::int64_t, std::int64_t> StretchAround(std::int64_t first,
                                                    std::int64_t last,
                                                    std::int64_t side,
                                                    std::int64_t length) {
  const std::int64_t step = side / 4;
  const std::int64_t wanted = std::max<std::int64_t>(0, (first + last - side) / 2 / step * step);
  const std::int64_t begin = std::min(wanted, std::max<std::int64_t>(0, length - side));
  return {begin, std::min(length, begin + side)};
}

}  // namespace

std::optional<PairPart> PartAround(const PairPart& seen, std::int64_t rows, std::int64_t cols) {
  const std::int64_t longest =
      std::max(seen.last_row - seen.first_row, seen.last_col - seen.first_col);
  std::int64_t side = kMostPairSide;
  while (side < 2 * longest) {
    side *= 2;
  }
  if (longest <= 0 || PlacesFor(side) >= PlacesFor(std::max(rows, cols))) {
    return std::nullopt;
  }
  const auto down = StretchAround(seen.first_row, seen.last_row, side, rows);
  const auto across = StretchAround(seen.first_col, seen.last_col, side, cols);
  return PairPart{down.first, down.second, across.first, across.second};
}

void PlaceRow(const MapView& map,
              Side side,
              const UnionPlace& query,
              const UnionAxis& keys,
              std::span<float> out) {
  std::ranges::fill(out, kMasked);
  const std::vector<std::int64_t>& queries = TokensOf(query, side);
  if (queries.empty()) {
    return;
  }
  const auto share = 1.0F / static_cast<float>(queries.size());
  std::vector<float> row(static_cast<std::size_t>(map.keys()));
  for (const std::int64_t token : queries) {
    map.layer->Row(map.head, token, row);
    map.layer->MakeDrawable(row);
    const std::int64_t first = map.FirstVisible(token);
    const std::int64_t last = map.LastVisible(token);
    for (std::size_t place = 0; place < out.size(); ++place) {
      for (const std::int64_t key : TokensOf(keys.places[place], side)) {
        if (key >= first && key < last) {
          out[place] = std::max(out[place], 0.0F) + share * row[static_cast<std::size_t>(key)];
        }
      }
    }
  }
}

Result<PairMaps> MakePairMaps(const MapView& a,
                              const MapView& b,
                              const UnionAxis& queries,
                              const UnionAxis& keys,
                              const std::optional<PairPart>& part,
                              const std::stop_token& stop) {
  CheckNotDrawing("the maps of two heads");
  PairMaps maps;
  maps.of = part.value_or(PairPart{0, queries.size(), 0, keys.size()});
  HEADSCOPE_CHECK(IsWithin(maps.of, queries.size(), keys.size()), "a part of both axes");
  const std::int64_t num_rows = maps.of.last_row - maps.of.first_row;
  const std::int64_t num_cols = maps.of.last_col - maps.of.first_col;
  maps.places = PlacesFor(std::max(num_rows, num_cols));
  maps.rows = (num_rows + maps.places - 1) / maps.places;
  maps.cols = (num_cols + maps.places - 1) / maps.places;
  const auto cells = static_cast<std::size_t>(maps.rows * maps.cols);
  maps.a.resize(cells);
  maps.b.resize(cells);
  maps.difference.assign(cells, kNoDifference);
  std::vector<float> whole_a(static_cast<std::size_t>(keys.size()));
  std::vector<float> whole_b(whole_a.size());
  const auto first_col = static_cast<std::size_t>(maps.of.first_col);
  const auto row_a = std::span(whole_a).subspan(first_col, static_cast<std::size_t>(num_cols));
  const auto row_b = std::span(whole_b).subspan(first_col, row_a.size());
  Pool pool_a(maps.cols, maps.places);
  Pool pool_b(maps.cols, maps.places);
  const auto cols = static_cast<std::size_t>(maps.cols);
  for (std::int64_t at = 0; at < num_rows; ++at) {
    HEADSCOPE_TRY(CheckStop(stop));
    const UnionPlace& query = queries.places[static_cast<std::size_t>(maps.of.first_row + at)];
    PlaceRow(a, Side::kA, query, keys, whole_a);
    PlaceRow(b, Side::kB, query, keys, whole_b);
    pool_a.Add(row_a);
    pool_b.Add(row_b);
    const std::size_t from = static_cast<std::size_t>(at / maps.places) * cols;
    for (std::size_t place = 0; place < row_a.size(); ++place) {
      const bool both_have_it = query.is_shared() && keys.places[first_col + place].is_shared();
      const float difference = Difference(row_a[place], row_b[place], both_have_it);
      maps.largest = std::max({maps.largest, row_a[place], row_b[place]});
      float& cell = maps.difference[from + place / static_cast<std::size_t>(maps.places)];
      if (difference != kNoDifference &&
          (cell == kNoDifference || std::abs(difference) > std::abs(cell))) {
        cell = difference;
        maps.furthest = std::max(maps.furthest, std::abs(difference));
      }
    }
    if ((at + 1) % maps.places == 0 || at + 1 == num_rows) {
      pool_a.TakeInto(std::span(maps.a).subspan(from, cols));
      pool_b.TakeInto(std::span(maps.b).subspan(from, cols));
    }
  }
  return maps;
}

}  // namespace headscope
