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

// For the difference a masked weight is exactly 0; a missing weight has no difference.
float Difference(float a, float b, bool both_have_it) {
  if (!both_have_it || (a < 0.0F && b < 0.0F)) {
    return kNoDifference;
  }
  return std::max(b, 0.0F) - std::max(a, 0.0F);
}

// Adds up rows into rows of cells.
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

// Returns the number of places per cell side that keeps a side of `length` places within the limit.
std::int64_t PlacesFor(std::int64_t length) {
  return std::max<std::int64_t>(1, (length + kMostPairSide - 1) / kMostPairSide);
}

bool IsWithin(const PairPart& part, std::int64_t rows, std::int64_t cols) {
  return 0 <= part.first_row && part.first_row <= part.last_row && part.last_row <= rows &&
         0 <= part.first_col && part.first_col <= part.last_col && part.last_col <= cols;
}

// Returns a stretch of `side` places (or all of them) that begins at a multiple of a quarter of
// `side` and contains the places in view, which are at most half as long.
std::pair<std::int64_t, std::int64_t> StretchAround(std::int64_t first,
                                                    std::int64_t last,
                                                    std::int64_t side,
                                                    std::int64_t length) {
  const std::int64_t step = side / 4;
  const std::int64_t wanted = std::max<std::int64_t>(0, (first + last - side) / 2 / step * step);
  const std::int64_t begin = std::min(wanted, std::max<std::int64_t>(0, length - side));
  return {begin, std::min(length, begin + side)};
}

// Makes rows of cells one after another; each thread has its own.
class CellRows {
 public:
  CellRows(const MapView& a,
           const MapView& b,
           const UnionAxis& queries,
           const UnionAxis& keys,
           PairMaps* maps)
      : a_(a),
        b_(b),
        queries_(queries),
        keys_(keys),
        maps_(*maps),
        whole_a_(static_cast<std::size_t>(keys.size())),
        whole_b_(whole_a_.size()),
        pool_a_(maps->cols, maps->places),
        pool_b_(maps->cols, maps->places) {}

  // Adds places [begin, end) of the part.
  void Make(std::int64_t line, std::int64_t begin, std::int64_t end, const std::stop_token& stop) {
    const auto cols = static_cast<std::size_t>(maps_.cols);
    const std::size_t from = static_cast<std::size_t>(line) * cols;
    for (std::int64_t at = begin; at < end; ++at) {
      if (stop.stop_requested()) {
        return;
      }
      Add(queries_.places[static_cast<std::size_t>(maps_.of.first_row + at)],
          std::span(maps_.difference).subspan(from, cols));
    }
    pool_a_.TakeInto(std::span(maps_.a).subspan(from, cols));
    pool_b_.TakeInto(std::span(maps_.b).subspan(from, cols));
  }
  // Called by one thread at a time.
  void TellLargest() {
    maps_.largest = std::max(maps_.largest, largest_);
    maps_.furthest = std::max(maps_.furthest, furthest_);
  }

 private:
  void Add(const UnionPlace& query, std::span<float> differences) {
    PlaceRow(a_, Side::kA, query, keys_, whole_a_);
    PlaceRow(b_, Side::kB, query, keys_, whole_b_);
    const auto first = static_cast<std::size_t>(maps_.of.first_col);
    const auto count = static_cast<std::size_t>(maps_.of.last_col) - first;
    const auto row_a = std::span(whole_a_).subspan(first, count);
    const auto row_b = std::span(whole_b_).subspan(first, count);
    pool_a_.Add(row_a);
    pool_b_.Add(row_b);
    for (std::size_t place = 0; place < count; ++place) {
      const bool both_have_it = query.is_shared() && keys_.places[first + place].is_shared();
      const float difference = Difference(row_a[place], row_b[place], both_have_it);
      largest_ = std::max({largest_, row_a[place], row_b[place]});
      float& cell = differences[place / static_cast<std::size_t>(maps_.places)];
      if (difference != kNoDifference &&
          (cell == kNoDifference || std::abs(difference) > std::abs(cell))) {
        cell = difference;
        furthest_ = std::max(furthest_, std::abs(difference));
      }
    }
  }

  const MapView& a_;
  const MapView& b_;
  const UnionAxis& queries_;
  const UnionAxis& keys_;
  PairMaps& maps_;
  std::vector<float> whole_a_;
  std::vector<float> whole_b_;
  Pool pool_a_;
  Pool pool_b_;
  float largest_ = 0.0F;
  float furthest_ = 0.0F;
};

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
                              const std::stop_token& stop,
                              std::int64_t places) {
  CheckNotDrawing("the maps of two heads");
  PairMaps maps;
  maps.of = part.value_or(PairPart{0, queries.size(), 0, keys.size()});
  HEADSCOPE_CHECK(IsWithin(maps.of, queries.size(), keys.size()), "a part of both axes");
  const std::int64_t num_rows = maps.of.last_row - maps.of.first_row;
  const std::int64_t num_cols = maps.of.last_col - maps.of.first_col;
  maps.places = places > 0 ? places : PlacesFor(std::max(num_rows, num_cols));
  maps.rows = (num_rows + maps.places - 1) / maps.places;
  maps.cols = (num_cols + maps.places - 1) / maps.places;
  const auto cells = static_cast<std::size_t>(maps.rows * maps.cols);
  maps.a.resize(cells);
  maps.b.resize(cells);
  maps.difference.assign(cells, kNoDifference);
  const std::int64_t lines = maps.rows;
#pragma omp parallel default(none) shared(a, b, queries, keys, stop, maps, num_rows, lines)
  {
    CellRows rows(a, b, queries, keys, &maps);
#pragma omp for schedule(dynamic)
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t begin = line * maps.places;
      rows.Make(line, begin, std::min(num_rows, begin + maps.places), stop);
    }
#pragma omp critical
    rows.TellLargest();
  }
  HEADSCOPE_TRY(CheckStop(stop));
  return maps;
}

}  // namespace headscope
