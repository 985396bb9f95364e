// The tree of head counts: which head of one count is made of the columns of which head of another,
// and the sum of dot products that follows from it.
//
// Shapes   a row of the tree: the h heads of one count.
// Units    dot products: q . k before scale and cap.
// Errors   kCancelled.
// Threads  any but the one that draws for CheckDots; the rest: any.
// Cost     a tree: the columns of all heads, some times over. CheckDots: twice the columns for every
//          visible cell.
// Source   docs/reference.md, "split".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/headcount/split.h"

namespace headscope {

// Why heads are no children of others: `head` of the children has columns of several of them, or
// lies in more than one; or of the columns of `head` of the parents some have two children, or none.
enum class LineageFault { kNone, kSpread, kSeveral, kShared, kLeftOut };

struct FoundParents {
  std::vector<std::int64_t> parent = {};  // of each child; empty: they are no children
  LineageFault fault = LineageFault::kNone;
  std::int64_t head = 0;
};
// A child's columns lie within one parent's, and the children of a parent have each of its columns
// once.
[[nodiscard]] FoundParents FindParents(const LayerAttention& parents,
                                       const LayerAttention& children);

// One count in the tree.
struct SplitRow {
  std::optional<std::size_t> above = {};  // the count that the parents are of: the largest before
  std::vector<std::int64_t> parent = {};  // [h], in that count
  std::vector<std::int64_t> place = {};   // [h], from the left: children stand under their parents
  // Why the count before this one has no parents for it.
  LineageFault fault = LineageFault::kNone;
  std::int64_t faulty_head = 0;
};

struct SplitTree {
  std::vector<SplitRow> rows;  // as the counts of the result

  [[nodiscard]] std::vector<std::int64_t> Children(std::size_t row, std::int64_t parent) const;
  // The first count whose heads are children of this one's.
  [[nodiscard]] std::optional<std::size_t> Below(std::size_t row) const;
  // Whether one is made of columns of the other, or they are the same.
  [[nodiscard]] bool AreKin(std::size_t row,
                            std::int64_t head,
                            std::size_t other_row,
                            std::int64_t other_head) const;
};
[[nodiscard]] SplitTree MakeSplitTree(const SplitResult& split);

// The dot products of some heads at one cell, in double; what they add up to; and the parent's.
struct DotSum {
  std::vector<double> children;
  double sum = 0.0;
  double parent = 0.0;
  double norms = 0.0;  // |q| |k| over the parent's columns
};
[[nodiscard]] DotSum SumOfDots(const LayerAttention& parents,
                               std::int64_t parent,
                               const LayerAttention& children,
                               std::span<const std::int64_t> heads,
                               std::int64_t query,
                               std::int64_t key);

// How far the sum lies from the parent's over all visible cells, everything in float32.
struct DotCheck {
  double largest = 0.0;
  double relative = 0.0;   // the largest part of |q| |k|
  std::int64_t query = 0;  // of `largest`
  std::int64_t key = 0;
  std::int64_t cells = 0;
};
[[nodiscard]] Result<DotCheck> CheckDots(const LayerAttention& parents,
                                         std::int64_t parent,
                                         const LayerAttention& children,
                                         std::span<const std::int64_t> heads,
                                         const std::stop_token& stop);

}  // namespace headscope
