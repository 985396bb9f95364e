// Several observers of one run: each is told what it would be told alone.
//
// Errors   EndLayer: the first observer's; the others are still told.
// Threads  the forward's.
#pragma once

#include <span>
#include <vector>

#include "core/model/forward.h"

namespace headscope {

class ObserverList : public LayerObserver, public AttentionObserver {
 public:
  // They outlive this, and are told in this order.
  explicit ObserverList(std::vector<LayerObserver*> observers);

  AttentionObserver* BeginLayer(LayerId layer) override;
  bool WantsStates(LayerId layer) override;
  void OnStates(LayerId layer,
                std::span<const float> projection_input,
                std::span<const float> attention_output) override;
  Status EndLayer(LayerId layer) override;

  bool WantsWrites() override { return !of_writes_.empty(); }
  void OnEmbedding(ModelPart stack, EmbeddingPart part, const Activations& rows) override;
  void OnContext(LayerId layer, const Activations& context) override;
  void OnMlp(LayerId layer, const Activations& output) override;
  void OnNorm(const NormNeed& norm, const Activations& input) override;
  bool WantsEnd() override;

  void OnProjections(const AttentionShape& shape,
                     const AttentionRule& rule,
                     std::span<const float> queries,
                     std::span<const float> keys,
                     std::span<const float> values) override;
  void OnBlock(const AttentionBlock& block) override;

 private:
  std::vector<LayerObserver*> observers_;
  std::vector<LayerObserver*> of_writes_;     // who want to see what is written
  std::vector<LayerObserver*> of_states_;     // of the layer that runs
  std::vector<AttentionObserver*> of_layer_;  // who watch it
};

}  // namespace headscope
