// Weights of up to eight heads side by side, cell by cell: what is asked of a row is asked of eight heads
// at once, without sums across a row's cells or rests of them. A scan reads millions of short rows.
//
// Shapes   a row is [keys][8], from key 0 to its last visible one at least; heads that a group does not
//          have are 0. Groups of heads begin at multiples of eight.
// Units    entropy in nats, distance in tokens; added over rows, in double.
// Errors   none; weights are finite and not below 0.
// Threads  plain values; ReadInLanes: OpenMP's threads, a group of heads each.
// Cost     a copy of the block, some 128 KB at a time; each question one step a cell for eight heads.
// Source   docs/architecture.md, "The attention store", for blocks; Shannon 1948 (entropy); Voita 2019,
//          5 (the largest weight); Vig and Belinkov 2019 (distance).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compute/attention.h"

namespace headscope {

inline constexpr std::int64_t kLanesOfGroup = 8;

struct LaneRow {
  const float* cells = nullptr;  // [count][8]: visible keys in order
  std::int32_t first = 0;        // the key of the first of them; those before it are 0
  std::int32_t count = 0;
  std::int32_t query = 0;  // its own token, counted as the row's cells are
};

struct LanePeaks {  // of a row, [head]
  alignas(32) float most[kLanesOfGroup];
  alignas(32) std::int32_t cell[kLanesOfGroup];    // the first that has it; -1: the row is empty
  alignas(32) std::int32_t equals[kLanesOfGroup];  // cells that have it
};

using LaneSums = double[kLanesOfGroup];

class HeadLanes {
 public:
  // The heads of the group from `group` on that the block has, and its rows from `query_begin` on, as
  // many as go well into a cache, one at least.
  void Fill(const AttentionBlock& block,
            const AttentionRule& rule,
            std::int64_t group,
            std::int64_t query_begin);

  [[nodiscard]] std::int64_t group() const { return group_; }
  // Of the group those that the block has, from 0 to 8.
  [[nodiscard]] std::int64_t lane_begin() const { return lane_begin_; }
  [[nodiscard]] std::int64_t lane_end() const { return lane_end_; }
  [[nodiscard]] std::int64_t query_begin() const { return query_begin_; }
  [[nodiscard]] std::int64_t query_end() const { return query_begin_ + std::ssize(rows_); }
  [[nodiscard]] std::span<const LaneRow> rows() const { return rows_; }
  // From key 0 on.
  [[nodiscard]] const float* Cells(std::int64_t query) const {
    const LaneRow& row = rows_[static_cast<std::size_t>(query - query_begin_)];
    return row.cells - row.first * kLanesOfGroup;
  }
  // The keys up to the last visible one.
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

// Who reads blocks group by group. Several groups are read at once, each on a thread of its own.
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

// Lays the block out and shows it to each of the readers. `room`: kept from block to block.
void ReadInLanes(const AttentionBlock& block,
                 const AttentionRule& rule,
                 std::span<LaneReader* const> readers,
                 std::vector<HeadLanes>* room);

// `peaks`: one for each row.
void FindPeaks(std::span<const LaneRow> rows, std::span<LanePeaks> peaks);

// Over the rows; the error is some 1e-7 of a nat a row.
void SumEntropies(std::span<const LaneRow> rows, LaneSums& sums);
void SumDistances(std::span<const LaneRow> rows, LaneSums& sums);

struct LaneCell {
  std::int32_t query = 0;
  std::int32_t key = 0;
};
// Of some cells of `lanes`, whose rows have these peaks.
struct LaneFound {
  LaneSums sums;
  std::int32_t peaks[kLanesOfGroup];  // that lie on one of them
};
void FindCells(const HeadLanes& lanes,
               std::span<const LanePeaks> peaks,
               std::span<const LaneCell> cells,
               LaneFound* found);

}  // namespace headscope
