// Weights of up to eight heads side by side, cell by cell: a question about a row is answered for
// eight heads at once, without sums across a row's cells and without leftover cells. A scan reads
// millions of short rows.
//
// Shapes   a row is [keys][8], from key 0 at least to its last visible one; missing heads of a
//          group are 0. Groups of heads begin at multiples of eight.
// Units    entropy in nats, distance in tokens; summed over rows in double.
// Errors   none; weights are finite and not below 0.
// Threads  ReadInLanes uses OpenMP's threads, one group of heads each.
// Cost     a copy of the block, about 128 KB at a time; each question takes one step per cell for
//          eight heads.
// Source   docs/architecture.md, "The attention store", for blocks; Shannon 1948 (entropy); Voita
//          2019, 5 (the largest weight); Vig and Belinkov 2019 (distance).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compute/attention.h"

namespace headscope {

inline constexpr std::int64_t kLanesOfGroup = 8;

struct LaneRow {
  const float* cells = nullptr;  // [count][8]: visible keys in order
  std::int32_t first = 0;        // the key of the first cell; cells before it are 0
  std::int32_t count = 0;
  std::int32_t query = 0;  // the row's own token, counted as the cells are
};

struct LanePeaks {  // a row's largest weight, by head
  alignas(32) float most[kLanesOfGroup];
  alignas(32) std::int32_t cell[kLanesOfGroup];    // the first with it; -1: the row is empty
  alignas(32) std::int32_t equals[kLanesOfGroup];  // how many cells have it
};

using LaneSums = double[kLanesOfGroup];

class HeadLanes {
 public:
  // Takes the block's heads of the group that begins at `group`, and its rows from `query_begin`
  // on: as many as fit well into a cache, at least one.
  void Fill(const AttentionBlock& block,
            const AttentionRule& rule,
            std::int64_t group,
            std::int64_t query_begin);

  [[nodiscard]] std::int64_t group() const { return group_; }
  // The lanes of the group that the block has heads for, from 0 to 8.
  [[nodiscard]] std::int64_t lane_begin() const { return lane_begin_; }
  [[nodiscard]] std::int64_t lane_end() const { return lane_end_; }
  [[nodiscard]] std::int64_t query_begin() const { return query_begin_; }
  [[nodiscard]] std::int64_t query_end() const { return query_begin_ + std::ssize(rows_); }
  [[nodiscard]] std::span<const LaneRow> rows() const { return rows_; }
  // Returns a query's cells from key 0 on.
  [[nodiscard]] const float* Cells(std::int64_t query) const {
    const LaneRow& row = rows_[static_cast<std::size_t>(query - query_begin_)];
    return row.cells - row.first * kLanesOfGroup;
  }
  // Returns the number of keys up to the last visible one.
  [[nodiscard]] std::int64_t Count(std::int64_t query) const {
    const LaneRow& row = rows_[static_cast<std::size_t>(query - query_begin_)];
    return row.first + row.count;
  }

 private:
  std::int64_t group_ = 0;
  std::int64_t lane_begin_ = 0;
  std::int64_t lane_end_ = 0;
  std::int64_t query_begin_ = 0;
  std::vector<LaneRow> rows_;
  std::vector<float> cells_;
};

// Reads blocks group by group. Several groups are read at once, each on its own thread.
class LaneReader {
 public:
  virtual ~LaneReader() = default;
  virtual void OnLanes(const HeadLanes& lanes) = 0;

 protected:
  LaneReader() = default;
  LaneReader(const LaneReader&) = default;
  LaneReader& operator=(const LaneReader&) = default;
  LaneReader(LaneReader&&) = default;
  LaneReader& operator=(LaneReader&&) = default;
};

// Lays out the block and shows it to each of the readers. `room` is reused from block to block.
void ReadInLanes(const AttentionBlock& block,
                 const AttentionRule& rule,
                 std::span<LaneReader* const> readers,
                 std::vector<HeadLanes>* room);

// `peaks` gets one per row.
void FindPeaks(std::span<const LaneRow> rows, std::span<LanePeaks> peaks);

// These sum over the rows; the error is about 1e-7 nats per row.
void SumEntropies(std::span<const LaneRow> rows, LaneSums& sums);
void SumDistances(std::span<const LaneRow> rows, LaneSums& sums);

struct LaneCell {
  std::int32_t query = 0;
  std::int32_t key = 0;
};
// The sums over some cells, and how many of their rows' peaks lie on them.
struct LaneFound {
  LaneSums sums;
  std::int32_t peaks[kLanesOfGroup];  // peaks that lie on one of the cells
};
void FindCells(const HeadLanes& lanes,
               std::span<const LanePeaks> peaks,
               std::span<const LaneCell> cells,
               LaneFound* found);

}  // namespace headscope
