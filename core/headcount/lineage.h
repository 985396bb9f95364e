// The tree of head counts: which head of one count is made of the columns of which head of another,
// and the sum of dot products that follows from it.
//
// Shapes   a row of the tree: the h heads of one count.
// Units    dot products: q . k before scale and cap.
// Errors   kCancelled.
// Threads  CheckDots: any but the one that draws. The rest: any.
// Cost     a tree: the columns of all heads, a few times over. CheckDots: twice the columns for
//          every visible cell.
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

// Why some heads are not children of others: child `head` has columns of several parents, or lies
// in more than one parent; or some columns of parent `head` belong to two children, or to none.
enum class LineageFault { kNone, kSpread, kSeveral, kShared, kLeftOut };

struct FoundParents {
  std::vector<std::int64_t> parent = {};  // of each child; empty: they are not children
  LineageFault fault = LineageFault::kNone;
  std::int64_t head = 0;
};
// Each child's columns lie within one parent's, and the children of a parent together have each of
// its columns once.
[[nodiscard]] FoundParents FindParents(const LayerAttention& parents,
                                       const LayerAttention& children);

// One count in the tree.
struct SplitRow {
  std::optional<std::size_t> above = {};  // the parents' count: the largest smaller one that fits
  std::vector<std::int64_t> parent = {};  // [h], in that count
  std::vector<std::int64_t> place = {};   // [h], from the left: children are below their parents
  // Why the heads of the previous count are not the parents of these.
  LineageFault fault = LineageFault::kNone;
  std::int64_t faulty_head = 0;
};

struct SplitTree {
  std::vector<SplitRow> rows;  // in the order of the result's counts

  [[nodiscard]] std::vector<std::int64_t> Children(std::size_t row, std::int64_t parent) const;
  // The first count whose heads are children of this one's.
  [[nodiscard]] std::optional<std::size_t> Below(std::size_t row) const;
  // True if one is made of columns of the other, or they are the same head.
  [[nodiscard]] bool AreKin(std::size_t row,
                            std::int64_t head,
                            std::size_t other_row,
                            std::int64_t other_head) const;
};
[[nodiscard]] SplitTree MakeSplitTree(const SplitResult& split);

// The dot products of some heads at one cell, in double, with their sum and the parent's dot
// product.
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

// How far the sum differs from the parent's over all visible cells, with everything in float32.
struct DotCheck {
  double largest = 0.0;
  double relative = 0.0;   // the largest difference relative to |q| |k|
  std::int64_t query = 0;  // where `largest` was found
  std::int64_t key = 0;
  std::int64_t cells = 0;
};
[[nodiscard]] Result<DotCheck> CheckDots(const LayerAttention& parents,
                                         std::int64_t parent,
                                         const LayerAttention& children,
                                         std::span<const std::int64_t> heads,
                                         const std::stop_token& stop);

}  // namespace headscope
