// The queries and keys of one head, as rows for its products: used in place where the head's
// columns are adjacent in the layer, otherwise gathered.
//
// Shapes   rows of columns() numbers.
// Threads  immutable; each thread uses its own `room`.
// Cost     one look at the head's columns; a copy where rows are gathered.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/layer_attention.h"

namespace headscope {

struct VectorRows {
  const float* first = nullptr;
  std::int64_t stride = 0;
};

class HeadVectors {
 public:
  // `layer` must have scores and outlive this.
  HeadVectors(const LayerAttention& layer, std::int64_t head);

  [[nodiscard]] std::int64_t columns() const { return columns_; }
  // Returns rows [begin, end); gathered ones stay in `room` until its next use.
  [[nodiscard]] VectorRows Queries(std::int64_t begin,
                                   std::int64_t end,
                                   std::vector<float>* room) const;
  [[nodiscard]] VectorRows Keys(std::int64_t begin,
                                std::int64_t end,
                                std::vector<float>* room) const;

 private:
  struct Side {
    const float* values = nullptr;  // from the head's first column on, or the layer's
    std::int64_t stride = 0;
    std::vector<std::int64_t> gathered = {};  // columns in this order; empty: they are adjacent
  };
  static Side SideOf(const std::vector<float>& values,
                     std::int64_t stride,
                     std::vector<std::int64_t> columns);
  static VectorRows RowsOf(const Side& side,
                           std::int64_t begin,
                           std::int64_t end,
                           std::vector<float>* room);

  std::int64_t columns_ = 0;
  Side queries_;
  Side keys_;
};

}  // namespace headscope
