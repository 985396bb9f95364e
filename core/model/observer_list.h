// Several observers of one run: each is called as if it were alone.
//
// Errors   EndLayer: the first observer's; the others are still called.
// Threads  the forward's.
#pragma once

#include <span>
#include <vector>

#include "core/model/forward.h"

namespace headscope {

class ObserverList : public LayerObserver, public AttentionObserver {
 public:
  // The observers must outlive this, and are called in this order.
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

  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;

 private:
  std::vector<LayerObserver*> observers_;
  std::vector<LayerObserver*> of_writes_;     // those that want writes
  std::vector<LayerObserver*> of_states_;     // those that want the current layer's states
  std::vector<AttentionObserver*> of_layer_;  // those that watch the current layer
};

}  // namespace headscope
