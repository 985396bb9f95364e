// Cuts edges of attention out of a run: chosen weights are 0 before they meet the values.
//
// Shapes   a row of weights [keys].
// Errors   kInput: the text has no such row or key, or the row does not see the key as it is.
// Threads  the backend's.
// Cost     for each row of a head with a key less, keys dv multiplications more.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/causes/heads_off.h"
#include "core/compute/backend.h"

namespace headscope {

class CutEdges {
 public:
  CutEdges() = default;
  CutEdges(std::vector<CutEdge> edges, bool renormalises)
      : edges_(std::move(edges)), renormalises_(renormalises) {}

  [[nodiscard]] bool IsIn(LayerId layer) const;
  [[nodiscard]] bool IsIn(HeadIndex head, std::int64_t row) const;
  // Makes one row what it is with its edges cut. A row that nothing is left of is 0. `has_sink`: what
  // the row lacks of 1 is its sink's.
  void CutRow(HeadIndex head, std::int64_t row, bool has_sink, std::span<double> weights) const;
  // Attends with the edges of this layer cut; the observer sees the weights as they were.
  [[nodiscard]] Status Attend(LayerId layer,
                              const AttentionInput& input,
                              Backend* backend,
                              AttentionObserver* observer,
                              Activations* context,
                              const std::stop_token& stop) const;

 private:
  std::vector<CutEdge> edges_;
  bool renormalises_ = false;
};

}  // namespace headscope
