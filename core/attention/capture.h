// Watches a forward and turns each layer into a LayerAttention, making its thumbnails in the same
// pass.
//
// Errors   kCancelled from the sink is passed on.
// Threads  the backend's thread; the sink gets immutable layers, which it may pass to other
//          threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/attention/attention_history.h"
#include "core/attention/layer_attention.h"
#include "core/model/forward.h"

namespace headscope {

struct CaptureOptions {
  // In an encoder-decoder: one part or, by default, all of them; the layer range applies to each
  // part.
  std::optional<ModelPart> part = {};
  bool skips_encoder = false;  // gives all parts except the encoder
  std::int64_t first_layer = 0;
  std::int64_t last_layer = 0;
  // Keeps values, projection_input and attention_output for head-count splits; no map needs them.
  bool keep_states = false;
  std::int64_t thumbnail_size = kThumbnailSize;
  // Narrows these layers down further; none: all of them.
  std::function<bool(LayerId)> only = {};
};

using LayerSink = std::function<Status(std::shared_ptr<const LayerAttention>)>;

// Runs layers 0..last_layer and passes those from first_layer on to `sink`, in order, as each is
// done. In an encoder-decoder the encoder's layers come first, then each decoder layer's own and
// cross-attention. `history` belongs to this forward: what it has of the text is not computed
// again, and it keeps the layers of this run. Runs with keep_states ignore it.
[[nodiscard]] Status CaptureAttention(Forward* forward,
                                      const ForwardInput& input,
                                      const CaptureOptions& options,
                                      const LayerSink& sink,
                                      const std::stop_token& stop,
                                      AttentionHistory* history = nullptr);

// The same as an observer of a run that something else makes: `input` from its start, up to the last
// layer at least.
[[nodiscard]] std::unique_ptr<LayerObserver> MakeCapture(const ModelDescription& model,
                                                         const ForwardInput& input,
                                                         CaptureOptions options,
                                                         LayerSink sink);

// The same of a run that is changed on its way (core/model/layer_changes.h), to its end. No history
// is read or kept.
[[nodiscard]] Status CaptureChanged(Forward* forward,
                                    const ForwardInput& input,
                                    const Restart& from,
                                    LayerChanges* changes,
                                    const CaptureOptions& options,
                                    const LayerSink& sink,
                                    const std::stop_token& stop);

}  // namespace headscope
