// Heads taken away while a model runs: their outputs are 0, or the mean that they had elsewhere.
//
// Units    outputs as the layer's output projection reads them [value_dim], behind a gate or norm.
// Threads  the backend's.
// Cost     a copy of a layer's outputs, in the layers of these heads only.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/causes/cut_edges.h"
#include "core/heads/measure/head_name.h"
#include "core/model/forward.h"
#include "core/model/layer_changes.h"

namespace headscope {

class RemovedHeads : public LayerChanges {
 public:
  explicit RemovedHeads(const Forward& forward) : forward_(forward) {}
  // What stands in place of the head's output: in every row [value_dim], or in each [rows,
  // value_dim]; empty: 0.
  void Remove(HeadIndex head, std::vector<float> replacement = {});
  [[nodiscard]] bool Has(HeadIndex head) const { return heads_.contains(head); }
  // What is cut of heads that stay.
  void Cut(CutEdges edges) { edges_ = std::move(edges); }
  [[nodiscard]] const CutEdges& edges() const { return edges_; }
  Status Attend(LayerId layer,
                const AttentionInput& input,
                Backend* backend,
                AttentionObserver* observer,
                Activations* context,
                const std::stop_token& stop) override {
    return edges_.Attend(layer, input, backend, observer, context, stop);
  }
  Status ChangeContext(LayerId layer, Activations* context) override;

 private:
  const Forward& forward_;
  std::map<HeadIndex, std::vector<float>> heads_;
  CutEdges edges_;
};

}  // namespace headscope
