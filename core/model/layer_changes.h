// What a run may see and change between the steps of each layer, and where in the model it begins.
//
// Shapes   all rows of the texts that run side by side, one text after another: [texts n, ...].
// Threads  the backend's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/model_part.h"
#include "core/compute/backend.h"

namespace headscope {

// Every function may read what it is given, or put something else in its place.
class LayerChanges {
 public:
  LayerChanges() = default;
  virtual ~LayerChanges() = default;
  LayerChanges(const LayerChanges&) = delete;
  LayerChanges& operator=(const LayerChanges&) = delete;

  // The residual stream before a layer [.., d].
  virtual Status ChangeStream(LayerId /*layer*/, Activations* /*hidden*/) { return {}; }
  // Computes the attention of the text `input.text`: its rows of `context` [.., H dv].
  virtual Status Attend(LayerId /*layer*/,
                        const AttentionInput& input,
                        Backend* backend,
                        AttentionObserver* observer,
                        Activations* context,
                        const std::stop_token& stop) {
    return backend->Attend(input, observer, context, stop);
  }
  // The heads' outputs side by side, as the output projection reads them [.., H dv].
  virtual Status ChangeContext(LayerId /*layer*/, Activations* /*context*/) { return {}; }
  // What the attention adds, bias included, before a norm inside it [.., d].
  virtual Status ChangeAttention(LayerId /*layer*/, Activations* /*output*/) { return {}; }
  // What the MLP adds, the same.
  virtual Status ChangeMlp(LayerId /*layer*/, Activations* /*output*/) { return {}; }
  // The states at the end of a stack, after its final norm [.., d].
  virtual Status OnEnd(ModelPart /*stack*/, const Activations& /*states*/) { return {}; }
};

// Where a run begins: with the embeddings of its texts, or with states that an earlier run left.
struct Restart {
  ModelPart stack = ModelPart::kWhole;  // kWhole, kEncoder or kDecoder
  std::int64_t layer = 0;
  std::span<const float> hidden = {};  // the residual stream before the layer; empty: embeddings
  // What ChangeContext of the layer's own attention was given in that run, of a run that begins with
  // `hidden`: the attention is not run, nor seen. Empty: it is run.
  std::span<const float> context = {};
  // The encoder's states, for a run that begins in the decoder; empty: the encoder is run.
  std::span<const float> memory = {};
};

}  // namespace headscope
