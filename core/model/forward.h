// Runs a model over tokens, layer by layer, on one backend; attention capture is an observer.
//
// Shapes   hidden states [n, d]; what the observer gets: core/compute/attention.h.
// Errors   kInput (no token, more tokens than positions, an id past the vocabulary: the message
//          says both numbers), and whatever the backend returns, with the tensor's name.
// Threads  the thread of the backend.
// Cost     weights are prepared when their layer is first computed and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/base/model_part.h"
#include "core/compute/backend.h"
#include "core/model/forward_input.h"
#include "core/model/model.h"
#include "core/model/past.h"

namespace headscope {

// What the embedding of a token is the sum of.
enum class EmbeddingPart { kToken, kTokenType, kPosition };

class LayerObserver {
 public:
  LayerObserver() = default;
  virtual ~LayerObserver() = default;
  LayerObserver(const LayerObserver&) = delete;
  LayerObserver& operator=(const LayerObserver&) = delete;
  // Called before the layer's attention; returns who watches it (null: nobody).
  virtual AttentionObserver* BeginLayer(LayerId layer) = 0;
  // What enters the layer's projections (after the norm before them), and what its attention adds:
  // output projection, bias included, before the residual. Called before EndLayer, only if
  // WantsStates().
  virtual bool WantsStates(LayerId /*layer*/) { return false; }
  virtual void OnStates(LayerId /*layer*/,
                        std::span<const float> /*projection_input*/,
                        std::span<const float> /*attention_output*/) {}
  virtual Status EndLayer(LayerId /*layer*/) { return {}; }

  // What is written into the residual stream, in the backend's own numbers; only if WantsWrites(),
  // and with no past. All are [n, d] but the contexts.
  virtual bool WantsWrites() { return false; }
  // Each part by itself, before the norm of their sum. `stack`: kDecoder for a decoder's.
  virtual void OnEmbedding(ModelPart /*stack*/,
                           EmbeddingPart /*part*/,
                           const Activations& /*rows*/) {}
  // What the heads give, side by side [n, H dv], before the output projection. Called before
  // EndLayer.
  virtual void OnContext(LayerId /*layer*/, const Activations& /*context*/) {}
  // What the MLP adds, bias included, before a norm inside it.
  virtual void OnMlp(LayerId /*layer*/, const Activations& /*output*/) {}
  // What a norm of the residual stream, or one inside of a half, reads: `norm` is a part of the
  // model's own description, and its address tells which.
  virtual void OnNorm(const NormNeed& /*norm*/, const Activations& /*input*/) {}
  // Whether the stack is run to its end, final norm included, whichever layer was asked for; all
  // its layers are observed then.
  virtual bool WantsEnd() { return false; }
};

struct ProjectedRows {
  std::vector<float> queries;  // [n, H dk]
  std::vector<float> keys;     // [n, Hkv dk]
  std::vector<float> values;   // [n, Hkv dv]
};

class Forward {
 public:
  // Weights are prepared lazily with `backend`, which must outlive this.
  Forward(std::shared_ptr<const Model> model, Backend* backend);
  ~Forward();
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  // Runs layers [0, last_layer] of the whole model, or of the encoder; what follows the last
  // layer's attention is not computed.
  [[nodiscard]] Status Run(const ForwardInput& input,
                           std::int64_t last_layer,
                           LayerObserver* observer,
                           const std::stop_token& stop);

  // Runs an encoder-decoder: the whole encoder where `last` is not of it, then the decoder. `past`:
  // what earlier runs left of the layers up to `last`, of texts that begin like this one
  // (UnchangedTokens); what it has is not run and not observed again, and no states are wanted with
  // it.
  [[nodiscard]] Status Run(const ForwardInput& input,
                           LayerId last,
                           LayerObserver* observer,
                           const std::stop_token& stop,
                           const Past& past = {});

  // What the decoder says for a text, greedily: the start token, then at most `most_tokens`,
  // without the token that ends it.
  [[nodiscard]] Result<std::vector<std::int32_t>> Generate(const ForwardInput& input,
                                                           std::int64_t most_tokens,
                                                           const std::stop_token& stop);

  // Queries, keys and values that a layer's attention makes of `rows` [n, d], a text's from its
  // start, in place of what it would read: after norms of queries and keys, turned by their
  // positions. kUnsupported: cross-attention, or keys made of another width.
  [[nodiscard]] Result<ProjectedRows> Project(LayerId layer,
                                              std::span<const float> rows,
                                              const std::stop_token& stop);

  // The output projection of one layer, prepared; for head-count splits.
  [[nodiscard]] Result<const Linear*> OutputProjection(LayerId layer, std::stop_token stop);

  [[nodiscard]] const Model& model() const;
  [[nodiscard]] const std::shared_ptr<const Model>& shared_model() const;
  [[nodiscard]] Backend& backend() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Refuses a layer that the model does not have.
[[nodiscard]] Status CheckLayer(const ModelDescription& model, LayerId layer);

}  // namespace headscope
