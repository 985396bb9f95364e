// Runs a model over tokens, layer by layer, on one backend; attention capture is an observer.
//
// Shapes   hidden states [n, d]; for the observer's arrays see core/compute/attention.h.
// Errors   kInput (no token, more tokens than positions, an id beyond the vocabulary: the message
//          gives both numbers), and whatever the backend returns, with the tensor's name.
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

class LayerChanges;  // core/model/layer_changes.h
struct Restart;

// The terms of the sum that is a token's embedding.
enum class EmbeddingPart { kToken, kTokenType, kPosition };

class LayerObserver {
 public:
  LayerObserver() = default;
  virtual ~LayerObserver() = default;
  LayerObserver(const LayerObserver&) = delete;
  LayerObserver& operator=(const LayerObserver&) = delete;
  // Called before the layer's attention; returns the observer of it (null: none).
  virtual AttentionObserver* BeginLayer(LayerId layer) = 0;
  // The input of the layer's projections (after the norm before them), and what its attention adds:
  // the output projection, bias included, before the residual. Called before EndLayer, only if
  // WantsStates(). Without it, and without WantsWrites(), EndLayer comes before they are computed.
  virtual bool WantsStates(LayerId /*layer*/) { return false; }
  virtual void OnStates(LayerId /*layer*/,
                        std::span<const float> /*projection_input*/,
                        std::span<const float> /*attention_output*/) {}
  virtual Status EndLayer(LayerId /*layer*/) { return {}; }

  // Whether to show everything written into the residual stream, in the backend's own numbers; not
  // possible with a past. All arrays are [n, d] except the contexts.
  virtual bool WantsWrites() { return false; }
  // One part of the embedding, before the norm of the sum. `stack` is kDecoder for a decoder's.
  virtual void OnEmbedding(ModelPart /*stack*/,
                           EmbeddingPart /*part*/,
                           const Activations& /*rows*/) {}
  // The heads' results, side by side [n, H dv], before the output projection. Called before
  // EndLayer.
  virtual void OnContext(LayerId /*layer*/, const Activations& /*context*/) {}
  // The MLP's result, bias included, before a norm inside it.
  virtual void OnMlp(LayerId /*layer*/, const Activations& /*output*/) {}
  // The input of a norm of the residual stream, or of one inside a half. `norm` is part of the
  // model's own description: its address identifies it.
  virtual void OnNorm(const NormNeed& /*norm*/, const Activations& /*input*/) {}
  // Whether to run the stack to its end, final norm included, whichever layer was requested; all
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

  // Runs layers [0, last_layer] of the whole model, or of the encoder; nothing after the last
  // layer's attention is computed.
  [[nodiscard]] Status Run(const ForwardInput& input,
                           std::int64_t last_layer,
                           LayerObserver* observer,
                           const std::stop_token& stop);

  // Runs an encoder-decoder: the whole encoder if `last` is not part of it, then the decoder.
  // `past` is what earlier runs left of the layers up to `last`, for texts that begin like this one
  // (UnchangedTokens); it is neither run nor observed again, and states cannot be requested with
  // it.
  [[nodiscard]] Status Run(const ForwardInput& input,
                           LayerId last,
                           LayerObserver* observer,
                           const std::stop_token& stop,
                           const Past& past = {});

  // Runs the model to its end from where `from` says, or up to the encoder's end if it begins in the
  // encoder of an input without target. `changes` and `observer` may be null; the observer is shown
  // the layers that run, as for WantsEnd().
  [[nodiscard]] Status RunChanged(const ForwardInput& input,
                                  const Restart& from,
                                  LayerChanges* changes,
                                  LayerObserver* observer,
                                  const std::stop_token& stop);

  // Generates the decoder's text, greedily: the start token, then at most `most_tokens`, without
  // the token that ends it.
  [[nodiscard]] Result<std::vector<std::int32_t>> Generate(const ForwardInput& input,
                                                           std::int64_t most_tokens,
                                                           const std::stop_token& stop);

  // Returns the queries, keys and values that a layer's attention makes from `rows` [n, d] in place
  // of its own input; they stand for a text from its start. They come after norms of queries and
  // keys, and rotation. kUnsupported: cross-attention, or keys made from another width.
  [[nodiscard]] Result<ProjectedRows> Project(LayerId layer,
                                              std::span<const float> rows,
                                              const std::stop_token& stop);

  // Returns the prepared output projection of one layer; for head-count splits.
  [[nodiscard]] Result<const Linear*> OutputProjection(LayerId layer, std::stop_token stop);

  [[nodiscard]] const Model& model() const;
  [[nodiscard]] const std::shared_ptr<const Model>& shared_model() const;
  [[nodiscard]] Backend& backend() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fails for a layer that the model does not have.
[[nodiscard]] Status CheckLayer(const ModelDescription& model, LayerId layer);

}  // namespace headscope
